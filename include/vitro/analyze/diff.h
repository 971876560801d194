// What got slower or faster from one trace to another.
//   Diff d = diff(before, after);
//   for (const NameChange& c : d.changes) …      // the largest change first
//
// Definition.  Times are per step (ProfilerStep#N), so that files with different numbers of steps
// compare: a name's time in a step is the self time of its calls that began in it (ops,
// annotations, functions, calls of the runtime), or the duration of its work (kernels, copies,
// fills) that was launched in it; a step without it counts as 0.  What lies outside of all steps is
// left out.  A file without steps is one step. A change is `significant` where Welch's t test over
// the steps finds it at a false discovery rate of 5 % among all names (one test in twenty would be
// wrong if every name were judged alone).  Where a file has fewer than two steps, single calls are
// compared instead: whether a call got slower, not whether there are more of them.
//
// HolisticTraceAnalysis (TraceDiff) compares one iteration of each file, counts and sums without
// asking whether they differ by chance, and durations with what lies inside an op counted in each
// level again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/classes.h"

namespace vitro::analyze {

struct DiffOptions {
  bool shapes = false;  // ops of different shapes, kernels of different grids, are different names
  double false_discoveries = 0.05;
};

struct NameChange {
  enum class What : uint8_t { slower, faster, added, removed };
  What what = What::slower;
  EventClass kind = EventClass::other;
  std::string name, shape;                   // shape: where asked for
  double calls_before = 0, calls_after = 0;  // per step
  double before = 0, after = 0;              // nanoseconds per step
  double low = 0, high = 0;  // the change, with 95 % confidence; where not tested the change itself
  double rate = 0;           // of false discoveries; not a number where not tested
  bool significant = false;
  std::vector<EventId> events_before, events_after;  // the longest calls, at most ten
  double change() const { return after - before; }
};

struct Diff {
  struct Side {
    int64_t steps = 0;     // 0: the file has none and counts as one
    double step_time = 0;  // nanoseconds; without steps the measured window
  };
  Side before, after;
  bool over_steps = false;  // what significance was tested over: steps, else calls
  double step_rate = 0;     // p of the steps' times; not a number where not tested
  double step_low = 0, step_high = 0;
  std::vector<NameChange> changes;  // of time or number of calls; the largest change first
};

// Fails where shapes are asked for and a file cannot be read again.
Result<Diff> diff(const Trace& before, const Trace& after, const DiffOptions& options = {});

// The findings are of `after`: what it could win back.  Its events are theirs.
Answer answer_diff(const Trace& after, const Diff& diff);

}  // namespace vitro::analyze
