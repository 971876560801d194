// The timeline of a whole trace at a glance: the activity of each thread and stream, as shares of
// the time covered by each column of pixels.  The size of the picture does not depend on the number
// of events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vitro/analyze/trace.h"
#include "vitro/report/html.h"

namespace vitro::analyze {

class TraceIndex;

std::string_view overview_style();
// The id of a track's row: a link with it as `data-track`, and a time of the trace in nanoseconds
// as `data-at`, shows what the track did then.
std::string track_id(uint32_t track);
// Writes nothing if no event has a duration.
void draw_overview(report::Html& page, const TraceIndex& index);

}  // namespace vitro::analyze
