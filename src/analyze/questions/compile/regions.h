// Calls of compiled code, and the events inside them.
#pragma once

#include <vector>

#include "analyze/model/timeline.h"
#include "analyze/questions/compile/compile.h"

namespace vitro::analyze {

class TraceIndex;

// Fills regions, functions and overheads.
void read_regions(const TraceIndex& index, Compilation& out);

}  // namespace vitro::analyze
