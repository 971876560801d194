// Helpers for gradient formulas.
#pragma once

#include "vitro/core/formula.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/view.h"

namespace vitro::ops {

// A result of a reduction of a tensor of `rank` dimensions, with the reduced ones as size 1.
inline Tensor kept(Tensor result, const ReducedDims& reduced) {
  if (reduced.keepdim) return result;
  for (const int64_t d : reduced.dims) result = unsqueeze(result, d);
  return result;
}

// The number of elements over which a reduction of `dims` runs.
inline Size count_of(const Tensor& x, const Dims& dims) {
  Size count = 1;
  for (const int64_t d : dims) count = count * x.size(d);
  return count;
}

// Reverses the order along `dim`.
inline Tensor reversed(const Tensor& x, int64_t dim) {
  if (x.rank() == 0) return x;
  return index_select(x, dim, arange(x.size(dim) - 1, -1, -1, {}, x.device()));
}

}  // namespace vitro::ops
