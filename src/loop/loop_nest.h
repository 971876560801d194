// Chooses a loop nest whose accesses are linear in its indices: dimensions that every access
// traverses as one are merged into one loop, and a dimension that accesses divide is split in two.
//   i < 128, j < 768, accesses 768*i + j             ->  one loop of 98304
//   i < 128, j < 768, access floordiv(j, 64)*8192 + mod(j, 64) + 64*i  ->  three loops: i, 12, 64
#pragma once

#include <span>
#include <vector>

#include "vitro/sym/expr.h"

namespace vitro::loop {

struct LoopNest {
  std::vector<sym::Expr> loops;   // indices, outermost first
  std::vector<sym::Expr> values;  // of the original dimensions, in terms of `loops`
};

// `dims`: indices, outermost first (constants for sizes of 1). `first_choice`: an access whose
// strides decide the order of the loops, or an undefined expression. `vectorizes`: vectors run
// along the last loop; if it is short, another one may become the last, which makes a store, the
// first of the accesses, strided.
LoopNest choose_loop_nest(std::span<const sym::Expr> dims, std::span<const sym::Expr> accesses,
                          sym::Expr first_choice, bool vectorizes = false);

// Whether vectors along the last loop would be mostly empty: only then `vectorizes` has an effect.
bool has_short_vectors(std::span<const sym::Expr> loops);

}  // namespace vitro::loop
