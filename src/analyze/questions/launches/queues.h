// How much work waits in a stream's queue over time.
#pragma once

#include <span>
#include <vector>

#include "analyze/model/intervals.h"
#include "analyze/model/launch_list.h"
#include "analyze/model/links.h"
#include "analyze/questions/launches/launches.h"

namespace vitro::analyze {

struct QueueOverTime {
  Launches::Queue queue;
  std::vector<Launches::QueuePart> parts;
};

// For the work of one stream; work whose launch is not in the file is left out.
QueueOverTime queue_of(const Trace& trace, const Links& links, uint32_t track,
                       std::span<const EventId> work, uint64_t full_queue);

// Calls that took over `slow_ns` because a queue was full: they returned when the device had begun
// earlier work.  How much a queue holds depends on the driver and is not in the file; a full one
// shows as a plateau: most slow launches of its stream find about as much in it as any launch does,
// and launches that find less are seldom slow.  A graph is one launch.
std::vector<EventId> blocked_by_full_queue(const Trace& trace, const std::vector<Launch>& list,
                                           int64_t slow_ns);

}  // namespace vitro::analyze
