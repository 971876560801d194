// The sweeps of a group as groups of their own.
//
//   softmax down long columns, of which there are few:
//     amax, sub, exp, sum, div     ->     amax;   sub, exp, sum;   sub, exp, div
//
// What is cheap to compute, or large, each sweep computes for itself, as one kernel would.
#pragma once

#include "backend/fuse/groups.h"

namespace vitro::backend {

// Makes groups of the sweeps of a group, where threads should share each of them; what it decides
// is added to the decisions.
void split_sweeps(const Program& program, Groups& groups);

}  // namespace vitro::backend
