// How steps differ: their times, those that took longer, and what was different in them.
//   const StepTimes s = step_times(trace);
//   for (const StepTimes::Straggler& each : s.stragglers) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/steps.h"

namespace vitro::analyze {

struct StepOptions {
  // A step is a straggler when it takes so many percent more than the median; of fewer than three
  // steps none is.
  int64_t over_percent = 10;
};

// Times in nanoseconds.
struct StepTimes {
  struct Each {
    Step step;
    int64_t length = 0;
    int64_t device_busy = 0;  // any device worked while the step lasted
    int64_t launched = 0;     // work that was launched in it, whenever it ran; overlap counts twice
    int64_t host_busy = 0;    // its own thread: the innermost event is another than a step
    int64_t compiling = 0;    // phases of a compiler, on any thread
    bool straggles = false;
  };
  // What took longer in a straggler than in the median of the steps that are none (32 of them,
  // spread evenly, where there are more).
  struct Cause {
    std::string name, kind;       // kind: name_of(EventClass), or "nothing recorded"
    int64_t time = 0, usual = 0;  // of the host its own time; of devices all that was launched
    uint64_t calls = 0;
    EventId longest = 0;  // call in that step
  };
  struct Straggler {
    size_t step = 0;            // in `steps`
    int64_t excess = 0;         // over the median
    int64_t least_excess = 0;   // over the longest step that is no straggler
    std::vector<Cause> causes;  // the greatest difference first, at most five; of the ten longest
  };
  std::vector<Each> steps;
  int64_t least = 0, median = 0, most = 0;
  double spread = 0;  // standard deviation, percent of the mean
  std::vector<Straggler> stragglers;
  std::string lost;  // why phases of a compiler are missing; empty: they are not
};

StepTimes step_times(const Trace& trace, const StepOptions& options = {});
Answer answer_steps(const Trace& trace, const StepOptions& options = {});

}  // namespace vitro::analyze
