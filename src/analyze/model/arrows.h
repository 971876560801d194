// Complete arrows (flow events with both ends), as the pairs of events at their ends.
#pragma once

#include <string_view>
#include <vector>

#include "analyze/model/timeline.h"

namespace vitro::analyze {

struct Arrow {
  EventId from = 0, to = 0;
};

// Arrows of a category, in the file order of their ends.  If several events begin at an end, the
// innermost is taken.  `order`: of the events that arrows may join.
std::vector<Arrow> arrows_of(const Trace& trace, const TrackOrder& order,
                             std::string_view category);

}  // namespace vitro::analyze
