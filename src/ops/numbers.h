// Sizes as messages say them: the numbers of the call that is running, without symbols or guards.
#pragma once

#include "vitro/core/interpreter.h"
#include "vitro/ops/shapes.h"

namespace vitro::ops {

// The hint of a size that data decide is what it is at most, also when it is known.
inline int64_t number_of(Size size) {
  const bool asks = thread_state.top && size.is_symbolic() && sym::is_data(size.expr());
  return asks ? this_run(size.expr()).hint() : size.hint();
}
inline Sizes numbers_of(const Sizes& sizes) {
  Sizes out = sizes;
  for (Size& s : out) s = Size(number_of(s));
  return out;
}

}  // namespace vitro::ops
