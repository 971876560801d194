// Horizontal fusion: launches that do not depend on each other run as one, such as the updates of
// all parameters by an optimizer.
#pragma once

#include <span>

#include "backend/lower/builder.h"
#include "backend/run/plan.h"

namespace vitro::backend {

// Whether a launch may run with others, as one: that of a compiled kernel without products, that
// cannot fail, and in every call.
bool can_join(const Launch& launch);

// Joins launches of the plan (one for each kernel) that follow one another, if none writes what
// another uses and should_join_launches() agrees.  Temporary buffers that one of them uses are live
// during all of them.
void fuse_horizontally(ExecutablePlan& plan, std::span<const LoweredKernel> kernels);

}  // namespace vitro::backend
