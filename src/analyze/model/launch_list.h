// Every launch with the work it started.
#pragma once

#include <vector>

#include "analyze/model/device_work.h"
#include "analyze/model/intervals.h"
#include "analyze/model/links.h"
#include "analyze/model/timeline.h"

namespace vitro::analyze {

class TraceIndex;

struct Launch {
  EventId call = 0;
  EventId first = 0;        // of its work
  int64_t first_begin = 0;  // of that
  int64_t work = 0;         // total time of its work, in nanoseconds
};

// By call.
std::vector<Launch> launch_list(const TraceIndex& index);

// By track: when devices had nothing to do and waited for a launch from this thread: from the begin
// of the measured window, or the end of all work so far, to the end of the call, or to the begin of
// its work if that is earlier.  What the thread does during that time keeps them idle.
std::vector<Intervals> late_launches(const TraceIndex& index);

// When a device computed nothing because its next computation had not been launched, and the thread
// that launched it did not wait for a device: what else the device does then costs nothing.
Intervals late_computation(const TraceIndex& index, const Device& device);

// The host events around others, by event: what they take is not a call of their own.
std::vector<bool> frames_of(const TraceIndex& index);

// Whether the work takes less than the call.
bool is_brief(const Trace& trace, const Launch& launch);

}  // namespace vitro::analyze
