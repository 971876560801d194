// Loads that are contiguous along a loop other than that of the lanes read a tile of scratch into
// which memory was transposed. Likewise stores write a tile that is then transposed to memory.
#pragma once

#include "backend/lower/builder.h"

namespace vitro::backend {

// The part of a loop that a tile covers.
struct Stretch {
  Expr index, begin, count;
};
// Element (inner, lane) of a tile is at inner * pitch + lane.
struct TurnedTile {
  Stretch lane;   // of the loop along the lanes
  Stretch inner;  // of the loop along memory
  int64_t pitch, most_inner;
};

// Returns the statements that fill the tiles; `body` reads them. Loads of buffers that the kernel
// writes, and of elements at an indirect index, stay as they are.
loop::Block turn_over(KernelBuilder& build, loop::Block& body, const TurnedTile& tile);
// Returns the statements that empty the tiles, which stores of `body` write. A store that is not
// contiguous along the inner loop stays as it is.
loop::Block turn_back(KernelBuilder& build, loop::Block& body, const TurnedTile& tile);

}  // namespace vitro::backend
