// A profile as an execution trace (MLCommons Chakra), in the JSON of PyTorch's
// ExecutionTraceObserver: what ran, nested in what, with which inputs; without times.
#pragma once

#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

// Nodes are the process, its threads, and their ops, ranges, regions and kernels.  Inputs are
// present if shapes were recorded.  If tensors were recorded, ops and regions also have outputs,
// and a tensor is [tensor, storage, offset, elements, bytes of each, device] with a number for each
// window and each storage: a reader of another's output depends on it.  Otherwise these numbers are
// 0.  A kernel has those of its region.
void write_execution_trace(const Profile& profile, report::Output& out);

}  // namespace vitro
