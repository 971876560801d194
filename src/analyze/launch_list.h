// Every launch with the work it started.
#pragma once

#include <vector>

#include "analyze/device_work.h"
#include "analyze/intervals.h"
#include "vitro/analyze/links.h"
#include "vitro/analyze/timeline.h"

namespace vitro::analyze {

struct Launch {
  EventId call = 0;
  EventId first = 0;        // of its work
  int64_t first_begin = 0;  // of that
  int64_t work = 0;         // total time of its work, in nanoseconds
};

// By call.
std::vector<Launch> launch_list(const Trace& trace, const Classes& classes, const Links& links);

// By track: when devices had nothing to do and waited for a launch from this thread: from the begin
// of the measured window, or the end of all work so far, to the end of the call, or to the begin of
// its work if that is earlier.  What the thread does during that time keeps them idle.
std::vector<Intervals> late_launches(const Trace& trace, const Links& links,
                                     const std::vector<Device>& devices);

// Marks the events around other events: what they take is not a call of its own.
void mark_frames(const Trace& trace, const TrackOrder& order, std::vector<bool>& out);

// Whether the work takes less than the call.
bool is_brief(const Trace& trace, const Launch& launch);

}  // namespace vitro::analyze
