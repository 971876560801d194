// Second pass of make_plan: chooses the graph's outputs, and how deferred tensors are materialized
// from them.
#pragma once

#include <vector>

#include "capture/functionalize.h"
#include "capture/plan.h"

namespace vitro::capture {

// Sets the plan's results, outputs, data sizes and written inputs, and returns the graph's outputs
// as values of `program`: first the new tensors, one for each memory of which a part is held and
// for each data size, then the final contents of written external inputs.
std::vector<graph::Output> bind_results(const RecordedPath& path, const Functional& program,
                                        const std::vector<uint64_t>& live, Plan* plan);

}  // namespace vitro::capture
