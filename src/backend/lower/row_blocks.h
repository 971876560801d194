// Reductions along rows that lie across memory, which sweep them more than once or write along
// them: a task takes a block of rows, turns it over into scratch, which stays in the cache, and
// sweeps that.
//
//   softmax(t(x), 1), x of [512, 1000]
//     for rows 32*b to 32*b + 32:   x_tile = x's columns, turned over
//                                   each row: its largest, its sum, its quotients
#pragma once

#include "backend/lower/builder.h"
#include "backend/schedule/reductions.h"

namespace vitro::backend {

// Whether the last loop of the kept dimensions is cut into blocks of rows, and into which: not
// where no load lies so, where a block would not stay in the cache, or where blocks would be too
// few for the threads.  `group` as walked_as_memory() gives it.
Verdict rows_in_blocks(const Program&, const BufferAssignment&, const Group& group,
                       RowBlocks* blocks);

}  // namespace vitro::backend
