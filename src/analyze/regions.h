// Calls of compiled code, and the events inside them.
#pragma once

#include <vector>

#include "vitro/analyze/compile.h"
#include "vitro/analyze/timeline.h"

namespace vitro::analyze {

// Fills regions, functions and overheads.  `order`: of host work.
void read_regions(const Trace& trace, const TrackOrder& order, Compilation& out);

}  // namespace vitro::analyze
