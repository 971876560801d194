// How much work waits in a stream's queue over time.
#pragma once

#include <span>
#include <vector>

#include "analyze/intervals.h"
#include "vitro/analyze/launches.h"
#include "vitro/analyze/links.h"

namespace vitro::analyze {

struct QueueOverTime {
  Launches::Queue queue;
  std::vector<Launches::QueuePart> parts;
  Intervals full;  // when it held `full_queue` or more
};

// For the work of one stream; work whose launch is not in the file is left out.
QueueOverTime queue_of(const Trace& trace, const Links& links, uint32_t track,
                       std::span<const EventId> work, uint64_t full_queue);

}  // namespace vitro::analyze
