// Part of make_plan, if gradients keep results that nobody else holds: decides which of them the
// segment does not return, as they can be computed again (aot/partition.h).
#pragma once

#include <vector>

#include "capture/functionalize.h"
#include "capture/plan.h"
#include "capture/recorded_path.h"

namespace vitro::capture {

// `saved`: a bit per slot, for deferred tensors that only gradients hold, and external ones that
// gradients hold, too.  Changes the program and its outputs, and what the plan says of them.
void keep_less(const RecordedPath& path, const std::vector<uint64_t>& saved, double memory_budget,
               const ValueOf& value_of, Functional& program, std::vector<graph::Output>& outputs,
               Plan* plan);

}  // namespace vitro::capture
