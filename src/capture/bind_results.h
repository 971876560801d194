// Second pass of make_plan: the outputs of the graph, and how deferred tensors are materialized
// from them.
#pragma once

#include <vector>

#include "capture/functionalize.h"
#include "capture/plan.h"

namespace vitro::capture {

// Gives the plan its results, outputs, data sizes and written inputs; returns the graph's outputs,
// in terms of `program`: first those of new tensors, one for each memory that somebody holds a part
// of and for each size that data decide, then what external inputs hold in the end.
std::vector<graph::Output> bind_results(const RecordedPath& path, const Functional& program,
                                        const std::vector<uint64_t>& live, Plan* plan);

}  // namespace vitro::capture
