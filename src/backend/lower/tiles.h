// Operands that are not contiguous along the innermost loop but along another one are read in
// tiles.
//   for i0, i1: y[1000*i0 + i1] = x[1000*i1 + i0]      becomes, for each tile of 64 by 64,
//   x_tile = x's block, transposed;  for i0, i1 of the tile: y[1000*i0 + i1] = x_tile[...]
// so that each line of memory is read once, whatever the strides. If the rows of a result are
// shorter than eight elements, its values are computed across the rows, and the result's tile is
// transposed.
#pragma once

#include <vector>

#include "backend/schedule/machine_model.h"
#include "loop/kernel.h"
#include "vitro/base/verdict.h"

namespace vitro::backend {

// Sets the kernel's tasks and body if `body` (stores) over `loops` (indices, outermost first) reads
// something in tiles; otherwise leaves the kernel unchanged, and the verdict says why.
Verdict read_in_tiles(const MachineModel& machine, loop::Kernel& kernel,
                      const std::vector<sym::Expr>& loops, const loop::Block& body);

}  // namespace vitro::backend
