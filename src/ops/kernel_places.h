// The kernel of a pool or of im2col over planes, the last dimensions of a tensor, and its patches.
// Used by pools, im2col and its inverse, and their gradients.
#pragma once

#include <string_view>

#include "vitro/ops/window.h"

namespace vitro::ops {

// One number for each dimension of a plane.
struct Kernel {
  Dims size, stride, padding, dilation;
  bool ceil = false;
  size_t dims() const { return size.size(); }
  int64_t count() const;  // the number of its elements; at most INT64_MAX
  Size reach(size_t d) const { return (Size(size[d]) - 1) * dilation[d] + 1; }
  bool pads() const;  // whether there is any padding
};

// A single number is for all dimensions.
inline int64_t of_dim(const Dims& numbers, size_t d) {
  return numbers.size() == 1 ? numbers[0] : numbers[d];
}
inline Dims of_each(const Dims& numbers, int dims) {
  Dims out;
  for (int d = 0; d < dims; ++d) out.push_back(of_dim(numbers, static_cast<size_t>(d)));
  return out;
}
// Error of `op` unless there is one number or `dims`, and all are at least `least`.
void check_numbers(std::string_view op, std::string_view what, const Dims& numbers, int dims,
                   int64_t least);

// The number of places of the kernel along dimension d of a plane, which has `size` elements.
Size places_of(const Kernel& k, size_t d, Size size);

// x with the kernel's padding around its planes.
Tensor padded_planes(const Tensor& x, const Kernel& k, const Scalar& value);
// The elements under each place of the kernel, as a view: see patches().
Tensor patches_under(const Kernel& k, const Tensor& x);
// The inverse: planes of these sizes, the sums of the elements of all patches [..., kernel,
// places].
Tensor sum_of_patches(const Tensor& parts, const Sizes& plane, const Dims& stride,
                      const Dims& dilation);

// The first `first` sizes of x, then `rest`.
Sizes followed_by(const Tensor& x, int64_t first, const Sizes& rest);

}  // namespace vitro::ops
