// The steps of a training or inference loop, as marked by `ProfilerStep#N`.
//   for (const Step& step : profiler_steps(trace)) …
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

// A range on the host; nanoseconds from Trace::base().
struct Step {
  int64_t number = 0;
  EventId event = 0;
  int64_t begin = 0, end = 0;
};

// Sorted by begin.  Excludes the device's side of the same ranges.
std::vector<Step> profiler_steps(const Trace& trace);

struct Window {
  int64_t begin = 0, end = 0;
  int64_t length() const { return end - begin; }
};

// The measured window, to which shares "of the measured time" refer: from the begin of the first
// step to the end of the last; without steps, from the begin of the first event with a duration to
// the latest end, excluding the event that spans the recording itself.
Window measured_window(const Trace& trace);

struct NamedWindow {
  std::string name;
  Window window;
};

// The windows for which answers are given: "all", from the begin of the first event with a duration
// to the latest end; if there are steps also "steps", the measured window, and each step by name.
std::vector<NamedWindow> named_windows(const Trace& trace);

}  // namespace vitro::analyze
