// The timeline of a whole trace at a glance: the activity of each thread and stream, as shares of
// the time covered by each column of pixels.  The size of the picture does not depend on the number
// of events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/trace.h"
#include "vitro/report/html.h"

namespace vitro::analyze {

class TraceIndex;

std::string overview_style();
// "python 1234: thread 5678".
std::string label_of(const TrackInfo& track);

// A link to "#event-NUMBER-TIME" leads to the event, or the time, in nanoseconds from the beginning
// of the trace.
struct OverviewOptions {
  std::string file;             // its name, for commands
  std::vector<EventId> events;  // shown however short they are
};
void draw_overview(report::Html& page, const TraceIndex& index, const OverviewOptions& options);

}  // namespace vitro::analyze
