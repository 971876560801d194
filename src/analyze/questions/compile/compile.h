// What was compiled, where compiled calls break, how long compiling took, and whether it happened
// during measurement.
//   const Compilation c = compilation(index);
//   for (const Compilation::Region& region : c.regions) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

// Times in nanoseconds.
struct Compilation {
  // Calls of compiled code of one name, `Torch-Compiled Region: N/M`.  In PyTorch, N is the code
  // and M counts how often it was compiled before; in Vitro, N is the function and M its segment.
  // A region directly inside another is a break of the outer one (or a call of a separately
  // compiled function): the outer one waits for it in the middle of its code.
  struct Region {
    std::string name;
    std::string function;  // in Vitro's traces its name in `explain`, "mlp/1"
    // In traces with stacks: where its code begins, "model.py(5): forward", and where it goes on
    // after its first break.
    std::string code, resumes;
    uint64_t calls = 0, inside = 0;  // inside: of these, directly inside another region
    uint64_t breaks = 0;             // regions inside its outermost calls, however deep
    int64_t total = 0;               // of calls not nested in a call of the same region
    int64_t glue = 0;    // of outermost calls with breaks: time without a graph or kernel
    int64_t guards = 0;  // part of glue: guards and wrappers caused by breaks
    EventId longest = 0;
    std::vector<Window> broken;  // the outermost calls with breaks
  };
  // CompiledFunction, as autograd sees it: pairs joined by an arrow `fwdbwd`.
  struct Functions {
    uint64_t forward = 0, backward = 0, pairs = 0;
    int64_t forward_time = 0, backward_time = 0;
  };
  // Guards and wrappers of every call of compiled code.
  struct Overhead {
    std::string name;
    uint64_t calls = 0;
    int64_t total = 0;
    std::vector<EventId> longest;  // first, at most ten
    std::vector<Window> when;
  };
  struct Phase {
    std::string name;
    uint64_t calls = 0;
    int64_t total = 0, self = 0;  // self: without nested phases
    EventId longest = 0;
  };
  // One compilation.  PyTorch: an outermost phase.  Vitro: the outermost phases of a graph, on the
  // calling thread and on helper threads.
  struct Run {
    EventId event = 0;  // the first phase
    std::string what;   // "0/0", "f/0"; empty if unknown
    int64_t begin = 0;
    int64_t time = 0;          // while any thread compiles it
    int64_t threads_time = 0;  // summed over threads, including one that waits for others
    bool measured = false;     // in measured_window(), if there are steps
    bool found = false;        // Vitro: nothing was compiled, its plan was in the cache
    bool again = false;        // according to PyTorch's compile id the code was compiled before
    std::vector<Window> phases = {};  // the outermost, by begin
  };
  // Breaks, failed guards, recompilations and fallbacks, as recorded by Vitro.
  struct Incident {
    std::string kind, code, reason, place;  // place: file:line
    uint64_t count = 0;
    std::vector<EventId> first;  // at most ten
  };
  std::vector<Region> regions;  // the longest total first
  Functions functions;
  std::vector<Overhead> overheads;  // the longest total first
  std::vector<Phase> phases;        // the longest self time first
  std::vector<Run> runs;            // by begin
  std::vector<Incident> incidents;  // the most frequent first
  std::string lost;                 // why phases or incidents are missing; empty: complete
};

Compilation compilation(const TraceIndex& index);
Answer answer_compile(const TraceIndex& index);

}  // namespace vitro::analyze
