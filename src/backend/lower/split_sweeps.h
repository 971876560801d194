// Splits the sweeps of a group into separate groups.
//
//   softmax down few long columns:
//     amax, sub, exp, sum, div     ->     amax;   sub, exp, sum;   sub, exp, div
//
// Each sweep recomputes cheap or large values, as in a single kernel.
#pragma once

#include "backend/fuse/groups.h"

namespace vitro::backend {

// Splits the groups whose sweeps threads should share; appends the decisions.
void split_sweeps(const Program& program, Groups& groups);

}  // namespace vitro::backend
