// Deep chains of costly functions, one stage after the other.
//
// A processor overlaps turns of a loop as far as it looks ahead; a turn with three functions on top
// of each other leaves it room for few.  Such a loop becomes several, each over the same elements,
// which hand on what they made in short rows:
//   for i: y[i] = tanh(tanh(x[i]))     ->     for i: row[i] = tanh(x[i]);  for i: y[i] =
//   tanh(row[i])
#pragma once

#include "loop/kernel.h"
#include "vitro/base/verdict.h"

namespace vitro::backend {

// The longest stretch that goes through rows.
inline constexpr int64_t stage_length = 1024;

// Statements that do what `loop` (of stores) does; the verdict says whether it was cut, and why.
// `most`: turns that it has at most; where that may be above `stage_length` it is taken in
// stretches.
loop::Block in_stages(loop::Kernel& kernel, loop::Loop loop, sym::Expr most, Verdict* verdict);

}  // namespace vitro::backend
