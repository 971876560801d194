// Contractions over windows whose operands are both batches of images: [n, c, spatial sizes...] and
// [n, o, positions...]. Their sums are over the positions of the windows of all images, in this
// order, not over the elements of a window; the result is [o, c / groups, window sizes...].
#pragma once

#include "vitro/core/op.h"

namespace vitro {

inline bool sums_positions(const ContractionInfo& info) {
  return info.windows != nullptr && info.batched;
}

}  // namespace vitro
