// The kernels of pools, from their attributes. Used by pools and their gradients.
#pragma once

#include "ops/kernel_places.h"
#include "vitro/ops/pool.h"

namespace vitro::ops {

inline Kernel kernel_of(const MaxPoolAttrs& a, int dims) {
  return {of_each(a.kernel_size, dims), of_each(a.stride.empty() ? a.kernel_size : a.stride, dims),
          of_each(a.padding, dims), of_each(a.dilation, dims), a.ceil_mode};
}
inline Kernel kernel_of(const AvgPoolAttrs& a, int dims) {
  return {of_each(a.kernel_size, dims), of_each(a.stride.empty() ? a.kernel_size : a.stride, dims),
          of_each(a.padding, dims), of_each({1}, dims), a.ceil_mode};
}

// The same, with an Error of `op` if a number is invalid.
Kernel checked_kernel(std::string_view op, const MaxPoolAttrs& a, int dims);
Kernel checked_kernel(std::string_view op, const AvgPoolAttrs& a, int dims);

// The sizes of the result of a pool over x. Error of `op` if the kernel does not fit.
Sizes pooled_sizes(std::string_view op, const TensorMeta& x, const Kernel& k);

// Error of `op` unless x has planes of `dims` dimensions, and one or two others.
void check_planes(std::string_view op, const Sizes& x, int dims);

}  // namespace vitro::ops
