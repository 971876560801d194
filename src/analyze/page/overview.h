// The timeline of a whole trace at a glance: for each thread and stream what it was doing, as
// shares of the time behind each column of pixels.  Any number of events makes a picture of the
// same size.
#pragma once

#include <string_view>

#include "vitro/analyze/trace.h"
#include "vitro/report/html.h"

namespace vitro::analyze {

std::string_view overview_style();
// Nothing where no event has a duration.
void draw_overview(report::Html& page, const Trace& trace);

}  // namespace vitro::analyze
