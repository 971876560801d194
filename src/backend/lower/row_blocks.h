// Folds along rows that lie across memory, and walk them more than once or write along them: a task
// takes a block of rows, turns it over into scratch, which stays in the cache, and walks that.
//
//   softmax(t(x), 1), x of [512, 1000]
//     for rows 32*b to 32*b + 32:   x_tile = x's columns, turned over
//                                   each row: its largest, its sum, its quotients
#pragma once

#include <optional>

#include "backend/lower/builder.h"

namespace vitro::backend {

// The last loop of the kept dimensions, cut into blocks.
struct RowBlocks {
  int64_t rows;   // of a block
  int64_t pitch;  // elements from row to row in scratch
};
// Nothing where no load lies so, where a block would not stay in the cache, or where blocks would
// be too few for the threads.  `group` as walked_as_memory() gives it.
std::optional<RowBlocks> rows_in_blocks(const Program&, const Places&, const Group& group);

}  // namespace vitro::backend
