// Deep chains of costly functions, one stage after the other.
//
// A processor overlaps turns of a loop as far as it looks ahead; a turn with three functions on top
// of each other leaves it room for few.  Such a loop becomes several, each over the same elements,
// which hand on what they made in short rows:
//   for i: y[i] = tanh(tanh(x[i]))     ->     for i: row[i] = tanh(x[i]);  for i: y[i] =
//   tanh(row[i])
#pragma once

#include "backend/schedule/machine_model.h"
#include "loop/kernel.h"
#include "vitro/base/verdict.h"

namespace vitro::backend {

// Statements that do what `loop` (of stores) does; the verdict says whether it was cut, and why.
// `most`: turns that it has at most; where that may be above `elements_of_block` it is taken in
// stretches.
loop::Block in_stages(const MachineModel& machine, loop::Kernel& kernel, loop::Loop loop,
                      sym::Expr most, Verdict* verdict);

}  // namespace vitro::backend
