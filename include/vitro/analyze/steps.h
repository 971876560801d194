// The steps of a training or inference loop, as `ProfilerStep#N` marks them.
//   for (const Step& step : profiler_steps(trace)) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// A range of the host; nanoseconds from Trace::base().
struct Step {
  int64_t number = 0;
  EventId event = 0;
  int64_t begin = 0, end = 0;
};

// By begin.  The device's side of the same ranges is none of them.
std::vector<Step> profiler_steps(const Trace& trace);

struct Window {
  int64_t begin = 0, end = 0;
  int64_t length() const { return end - begin; }
};

// What was measured, and what shares "of the step" are shares of: from the begin of the first step
// to the end of the last; without steps from the begin of the first event with a duration to the
// latest end, the span of the recording itself not counted.
Window measured_window(const Trace& trace);

struct NamedWindow {
  std::string name;
  Window window;
};

// What answers are given for, window by window: "all", from the begin of the first event with a
// duration to the latest end; where there are steps also "steps", the measured window, and each
// step by its name.
std::vector<NamedWindow> named_windows(const Trace& trace);

}  // namespace vitro::analyze
