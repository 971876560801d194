// What became slower or faster between two traces.
//   Diff d = diff(before, after);
//   for (const NameChange& c : d.changes) …      // the largest change first
//
// Definition.  Times are per step (ProfilerStep#N), so that files with different numbers of steps
// are comparable: a name's time in a step is the self time of its calls that began in it (ops,
// annotations, functions, runtime calls), or the duration of its work (kernels, copies, fills)
// launched in it; a step without it counts as 0.  Events outside all steps are left out.  A file
// without steps is one step.  A change is `significant` if Welch's t test over the steps finds it
// at a false discovery rate of 5 % among all names (one test in twenty would be wrong if every name
// were judged alone).  If a file has fewer than two steps, single calls are compared instead:
// whether a call got slower, not whether there are more of them.
//
// HolisticTraceAnalysis (TraceDiff) compares one iteration of each file, compares counts and sums
// without testing whether they differ by chance, and counts nested time again at each level.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/classes.h"

namespace vitro::analyze {

struct DiffOptions {
  bool shapes = false;  // separate ops by shape and kernels by grid
  double false_discoveries = 0.05;
};

struct NameChange {
  enum class What : uint8_t { slower, faster, added, removed };
  What what = What::slower;
  EventClass kind = EventClass::other;
  std::string name, shape;                   // shape: if requested
  double calls_before = 0, calls_after = 0;  // per step
  double before = 0, after = 0;              // nanoseconds per step
  double low = 0, high = 0;  // 95 % confidence interval of the change; if not tested, the change
  double rate = 0;           // false discovery rate; NaN if not tested
  bool significant = false;
  std::vector<EventId> events_before, events_after;  // the longest calls, at most ten
  double change() const { return after - before; }
};

struct Diff {
  struct Side {
    int64_t steps = 0;     // 0: none, the file counts as one
    double step_time = 0;  // nanoseconds; without steps, the measured window
  };
  Side before, after;
  bool over_steps = false;  // significance was tested over steps, else over calls
  double step_rate = 0;     // p of the step times; NaN if not tested
  double step_low = 0, step_high = 0;
  std::vector<NameChange> changes;  // changes of time or number of calls, the largest first
};

// Fails if shapes are requested and a file cannot be read again.
Result<Diff> diff(const Trace& before, const Trace& after, const DiffOptions& options = {});

// The findings are about `after`: what it could save.  Their events are events of `after`.
Answer answer_diff(const Trace& after, const Diff& diff);

}  // namespace vitro::analyze
