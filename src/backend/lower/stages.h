// Splits deep chains of costly functions into stages.
//
// Out-of-order execution overlaps iterations of a loop within a window of instructions; few
// iterations with three dependent functions fit into it. Such a loop becomes several over the same
// elements, which pass values on in short rows:
//   for i: y[i] = tanh(tanh(x[i]))
//   ->  for i: row[i] = tanh(x[i]);  for i: y[i] = tanh(row[i])
#pragma once

#include "backend/schedule/machine_model.h"
#include "loop/kernel.h"
#include "vitro/base/verdict.h"

namespace vitro::backend {

// Statements equivalent to `loop` (of stores); the verdict says whether it was cut, and why.
// `most`: upper bound of its iterations; if that may exceed `elements_of_block`, the loop is
// processed in stretches.
loop::Block in_stages(const MachineModel& machine, loop::Kernel& kernel, loop::Loop loop,
                      sym::Expr most, Verdict* verdict);

}  // namespace vitro::backend
