// Loads whose elements lie beside each other along another loop than lanes go along: they read a
// tile of scratch into which memory was turned over.  The same of stores, whose tile is turned over
// to memory.
#pragma once

#include "backend/lower/builder.h"

namespace vitro::backend {

// The part of a loop that a tile covers.
struct Stretch {
  Expr index, begin, count;
};
// Element (inner, lane) of a tile lies at inner * pitch + lane.
struct TurnedTile {
  Stretch lane;   // of the loop that lanes go along
  Stretch inner;  // of the one that memory goes along
  int64_t pitch, most_inner;
};

// Gives the statements that fill the tiles; `body` reads them.  Loads of buffers that the kernel
// writes, and of elements that are read at an indirect index, stay as they are.
loop::Block turn_over(KernelBuilder& build, loop::Block& body, const TurnedTile& tile);
// Gives the statements that empty the tiles, which stores of `body` write.  A store that does not
// lie so stays as it is.
loop::Block turn_back(KernelBuilder& build, loop::Block& body, const TurnedTile& tile);

}  // namespace vitro::backend
