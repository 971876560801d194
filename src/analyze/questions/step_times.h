// How steps differ: their times, the stragglers, and what was different in those.
//   const StepTimes s = step_times(index);
//   for (const StepTimes::Straggler& each : s.stragglers) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/answer.h"
#include "vitro/analyze/events.h"

namespace vitro::analyze {

class TraceIndex;

struct StepOptions {
  // A step is a straggler if it takes this many percent longer than the median; there are none
  // among fewer than three steps.
  int64_t over_percent = 10;
};

// Times in nanoseconds.
struct StepTimes {
  struct Each {
    Step step;
    int64_t length = 0;
    int64_t device_busy = 0;  // time in the step in which any device worked
    int64_t launched = 0;     // work launched in it, whenever it ran; overlap counts twice
    int64_t launches = 0;     // number of that work
    int64_t host_busy = 0;    // on its own thread: time in events other than a step
    int64_t compiling = 0;    // in compiler phases, on any thread
    bool straggles = false;
  };
  // What took longer in a straggler than in the median of the other steps (an even sample of 32 if
  // there are more).
  struct Cause {
    std::string name, kind;       // kind: name_of(EventClass), or "nothing recorded"
    int64_t time = 0, usual = 0;  // for the host its self time; for devices all launched work
    uint64_t calls = 0;
    EventId longest = 0;  // the longest call in that step
  };
  struct Straggler {
    size_t step = 0;           // in `steps`
    int64_t excess = 0;        // over the median
    int64_t least_excess = 0;  // over the longest step that is not a straggler
    // The parts of it that could be saved, where devices work.  `idle`: how much longer than usual
    // they are idle.  `slower`: how much longer than usual as many kernels take; whether these do
    // more work is not known.  The rest is spent waiting for work of earlier steps: it costs
    // nothing.
    int64_t idle = 0, slower = 0;
    std::vector<Cause> causes;  // the greatest difference first, at most five; for the ten longest
  };
  std::vector<Each> steps;
  int64_t least = 0, median = 0, most = 0;
  double spread = 0;  // standard deviation, percent of the mean
  std::vector<Straggler> stragglers;
  std::string lost;  // why compiler phases are missing; empty: complete
};

StepTimes step_times(const TraceIndex& index, const StepOptions& options = {});
Answer answer_steps(const TraceIndex& index, const StepOptions& options = {});

}  // namespace vitro::analyze
