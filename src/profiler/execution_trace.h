// A profile as an execution trace (MLCommons Chakra), in the JSON that PyTorch's
// ExecutionTraceObserver writes: what ran, in what, given what; no times.
#pragma once

#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

// Nodes are the process, its threads, and their ops, ranges, regions and kernels.  Inputs are there
// if shapes were recorded; outputs and which tensor an input was are not recorded, their numbers
// are 0.
void write_execution_trace(const Profile& profile, report::Output& out);

}  // namespace vitro
