// A profile as an execution trace (MLCommons Chakra), in the JSON that PyTorch's
// ExecutionTraceObserver writes: what ran, in what, given what; no times.
#pragma once

#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

// Nodes are the process, its threads, and their ops, ranges, regions and kernels.  Inputs are there
// if shapes were recorded.  With tensors recorded ops and regions have outputs too, and a tensor is
// [tensor, storage, offset, elements, bytes of each, device] with a number for each window and each
// memory: who reads what another gave depends on it.  Else these numbers are 0.  A kernel has its
// region's.
void write_execution_trace(const Profile& profile, report::Output& out);

}  // namespace vitro
