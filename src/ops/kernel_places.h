// The kernel of a pool as its attributes say: where it lies, of height and width.
#pragma once

#include <array>

#include "vitro/ops/window.h"

namespace vitro::ops {

struct Kernel {
  std::array<int64_t, 2> size, stride, padding, dilation;
  bool ceil = false;
  int64_t count() const { return size[0] * size[1]; }
};

// One number stands for both.
inline int64_t of_height(const Dims& two) {
  return two[0];
}
inline int64_t of_width(const Dims& two) {
  return two.back();
}
inline std::array<int64_t, 2> both(const Dims& two) {
  return {of_height(two), of_width(two)};
}
inline Kernel kernel_of(const MaxPoolAttrs& a) {
  return {both(a.kernel_size), both(a.stride.empty() ? a.kernel_size : a.stride), both(a.padding),
          both(a.dilation), a.ceil_mode};
}
inline Kernel kernel_of(const AvgPoolAttrs& a) {
  return {both(a.kernel_size),
          both(a.stride.empty() ? a.kernel_size : a.stride),
          both(a.padding),
          {1, 1},
          a.ceil_mode};
}

}  // namespace vitro::ops
