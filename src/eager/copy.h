// Copies and fills of tensors of any layout and dtype.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::eager {

// Copies `from`, broadcast to the sizes of `to` and converted to its dtype.  They must not overlap.
void copy_elements(const Tensor& from, const Tensor& to);
void fill_elements(const Scalar& number, const Tensor& to);
// Returns a contiguous copy of `t` in `dtype`, or `t` itself if it already is one.
Tensor dense_copy(const Tensor& t, DType dtype);
Tensor dense_copy(const Tensor& t);
Tensor fresh_copy(const Tensor& t);  // never `t` itself

}  // namespace vitro::eager
