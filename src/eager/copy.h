// Elements from one layout and dtype to another.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::eager {

// to[...] = from broadcast to to's sizes, converted to its dtype.  They must not overlap.
void copy_elements(const Tensor& from, const Tensor& to);
void fill_elements(const Scalar& number, const Tensor& to);
// A dense row-major copy of `t` in `dtype`; `t` itself where it is that already.
Tensor dense_copy(const Tensor& t, DType dtype);
Tensor dense_copy(const Tensor& t);
Tensor fresh_copy(const Tensor& t);  // never `t` itself

}  // namespace vitro::eager
