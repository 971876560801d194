// Images [n, c, positions...] as the kernels of windows read them: with contiguous channels, in the
// type of the sums.
#pragma once

#include "kernels/product.h"
#include "vitro/core/op.h"
#include "vitro/core/tensor.h"

namespace vitro::eager {

// Strides of a dense tensor whose channels are contiguous.
Ints channels_last_strides(const Ints& sizes);

// x itself, or a copy.
Tensor with_contiguous_channels(const Tensor& x, DType dtype);
// A copy of the part of x that windows read in the last dimension, with zeros where they leave it.
// `taps`, `out`: their size and number there.
Tensor joined(const Tensor& x, DType dtype, const WindowsSpec& spec, int64_t taps, int64_t out);

// Windows of the sizes `taps`, at `out` positions. `channels`: of a group.
kernels::Windows windows_over(const Tensor& images, const WindowsSpec& spec,
                              std::span<const int64_t> taps, std::span<const int64_t> out,
                              int64_t channels);

}  // namespace vitro::eager
