// Third pass of make_plan: keeps what the outputs need, and renames symbols.
//   Before: s7 = size of arg0;  y = exp(arg0);  z = mul(arg0, arg1);  return y
//   After:  graph[s0=6](arg0: f32[s0]) { y = exp(arg0); return y }
#pragma once

#include <vector>

#include "capture/functionalize.h"
#include "capture/plan.h"

namespace vitro::capture {

// Sets the plan's graph, inputs and symbols.  Symbols are numbered in order of appearance, so that
// equal programs give equal graphs regardless of earlier recordings.  Also names the nodes.
void prune(const Functional& program, const std::vector<graph::Output>& outputs,
           const ValueOf& value_of, Plan* plan);

}  // namespace vitro::capture
