// Third pass of make_plan: what the outputs need, with symbols of its own.
//   Before: s7 = size of arg0;  y = exp(arg0);  z = mul(arg0, arg1);  return y
//   After:  graph[s0=6](arg0: f32[s0]) { y = exp(arg0); return y }
#pragma once

#include <vector>

#include "capture/functionalize.h"
#include "capture/plan.h"

namespace vitro::capture {

// Gives the plan its graph, inputs and symbols.  Symbols are numbered in order of appearance, so
// that equal programs are equal graphs whatever was recorded before them; nodes have names.
void prune(const Functional& program, const std::vector<graph::Output>& outputs,
           const ValueOf& value_of, Plan* plan);

}  // namespace vitro::capture
