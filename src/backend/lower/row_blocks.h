// Reductions along rows that are not contiguous, if they are swept more than once or written along
// the rows: a task transposes a block of rows into scratch that stays in the cache, and sweeps
// that.
//
//   softmax(t(x), 1), x of [512, 1000]
//     for rows 32*b to 32*b + 32:   x_tile = x's columns, transposed
//                                   each row: its maximum, its sum, its quotients
#pragma once

#include "backend/lower/builder.h"
#include "backend/schedule/reductions.h"

namespace vitro::backend {

// Whether the last kept loop is cut into blocks of rows, and into which: not if no load is
// contiguous across rows, if a block would not stay in the cache, or if there would be too few
// blocks for the threads. `group`: as swept_in_memory_order() returns it.
Verdict rows_in_blocks(const Program&, const BufferAssignment&, const Group& group,
                       RowBlocks* blocks);

}  // namespace vitro::backend
