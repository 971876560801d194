// The memory format of images and volumes [n, c, spatial sizes...]: row-major, or with the channels
// of a position next to one another (PyTorch's channels_last).
#pragma once

#include <string_view>

#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro::ops {

// Whether channels are next to one another, by ATen's rule: strides that both formats have are
// row-major, as are tensors without elements and of ranks other than 4 and 5.
bool has_channels_last(const TensorMeta& x);
inline bool has_channels_last(const Tensor& x) {
  return has_channels_last(x.rule_meta());
}
// A dense result in either format.
TensorMeta dense_in(bool channels_last, DType dtype, Device device, Sizes sizes);
// A copy of x, of rank 4 or 5, with its channels next to one another; x itself if it is dense in
// this format.
Tensor with_channels_last(const Tensor& x);
// x, or a copy in the format of this name: "preserve_format", "contiguous_format", "channels_last",
// "channels_last_3d".  Error of `op`: the format does not fit the rank.
Tensor in_format(std::string_view op, const Tensor& x, std::string_view format);
// y, or a copy with its channels next to one another if those of x are.
inline Tensor in_format_of(const Tensor& x, const Tensor& y) {
  return has_channels_last(x) ? with_channels_last(y) : y;
}

}  // namespace vitro::ops
