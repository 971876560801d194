// The kernel of a pool or of im2col over planes (height, then width). Used by windows (window.cpp),
// the functions of pools (pool.cpp) and their gradients.
#pragma once

#include <array>

#include "vitro/ops/window.h"

namespace vitro::ops {

struct Kernel {
  std::array<int64_t, 2> size, stride, padding, dilation;
  bool ceil = false;
  int64_t count() const { return size[0] * size[1]; }
};

// One number is for both.
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

// The same, with an Error of `op` if a number is invalid.
Kernel checked_kernel(std::string_view op, const MaxPoolAttrs& a);
Kernel checked_kernel(std::string_view op, const AvgPoolAttrs& a);

// The sizes of the result of a kernel over x, whose last two dimensions are planes.
Sizes pooled_sizes(std::string_view op, const TensorMeta& x, const Kernel& k);

// x with the kernel's padding around its planes.
Tensor padded_planes(const Tensor& x, const Kernel& k, const Scalar& value);
// The elements under each place of the kernel, as a view: see patches().
Tensor patches_under(const Kernel& k, const Tensor& x);

}  // namespace vitro::ops
