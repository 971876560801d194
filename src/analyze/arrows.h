// Arrows (flow events) that have both ends, as the events that begin where they do.
#pragma once

#include <string_view>
#include <vector>

#include "vitro/analyze/timeline.h"

namespace vitro::analyze {

struct Arrow {
  EventId from = 0, to = 0;
};

// Of a category, in the order in which their ends stand in the file.  Of events that begin at an
// end together it is the innermost.  `order`: of the events that arrows may join.
std::vector<Arrow> arrows_of(const Trace& trace, const TrackOrder& order,
                             std::string_view category);

}  // namespace vitro::analyze
