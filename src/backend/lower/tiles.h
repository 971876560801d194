// Operands that lie across a result: what strides through memory along the innermost loop, but is
// contiguous along another one, is read in tiles.
//   for i0, i1: y[1000*i0 + i1] = x[1000*i1 + i0]      becomes, for each tile of 64 by 64,
//   x_tile = x's block, turned over;  for i0, i1 of the tile: y[1000*i0 + i1] = x_tile[...]
// so that each line of memory is read once, whatever the strides.  Where the rows of a result are
// shorter than eight elements, its values are computed across them, and the result's tile is turned
// over.
#pragma once

#include <vector>

#include "backend/schedule/machine_model.h"
#include "loop/kernel.h"
#include "vitro/base/verdict.h"

namespace vitro::backend {

// Gives the kernel its tasks and its body, where `body` (stores) over `loops` (indices, outermost
// first) reads something in tiles; else it is left as it is, and the verdict says why.
Verdict read_in_tiles(const MachineModel& machine, loop::Kernel& kernel,
                      const std::vector<sym::Expr>& loops, const loop::Block& body);

}  // namespace vitro::backend
