// Windows of different lengths along one dimension of a tensor, as adaptive pools and interpolation
// with antialiasing use them.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::ops {

struct UnevenWindows {
  Tensor first, end;  // i64 [n]: window i has the elements first[i] .. end[i] - 1
  Size longest;       // no window has more elements
  Size count() const { return first.size(0); }
  // For each place up to the longest: whether it is inside of its window (bool [n, longest]), and
  // its index, below `size` everywhere (i64 [n, longest]).
  Tensor inside() const;
  Tensor indices(Size size) const;
};

// The windows that divide `from` elements into `to` parts of nearly equal size, `to` > 0.
UnevenWindows even_parts(Size from, Size to, Device device);

// One number, or `longest`, for each window, as sizes that broadcast over x [..., n, ...], or over
// x [..., n, longest, ...]; `dim`: the dimension in whose place n is.
Tensor beside(const Tensor& of_windows, const Tensor& x, int64_t dim);
// The elements of x under each window: [..., n, longest, ...], and `none` behind a window's end.
Tensor elements_under(const UnevenWindows& windows, const Tensor& x, int64_t dim,
                      const Scalar& none);

}  // namespace vitro::ops
