// Reductions of runs of elements.
//   Tensor sums = segment_reduce(x, "sum", lengths);   // of x[0 : n0], x[n0 : n0 + n1], ...
#pragma once

#include <optional>
#include <string_view>

#include "vitro/ops/define.h"

namespace vitro {

// The sum, mean, max, min or product (`reduce`: "sum", "mean", "max" or "amax", "min" or "amin",
// "prod") of each segment along `axis`. There are either lengths [..., s], which add up to the size
// of the axis, or offsets [..., s + 1], between which elements are; their other sizes are those of
// the dimensions before the axis. `initial` is an element of all segments; it is also the result of
// an empty one. Unless `unsafe`, the lengths are read and checked, which ends a graph.
Tensor segment_reduce(ops::At data, std::string_view reduce, const Tensor& lengths,
                      const Tensor& offsets = {}, int64_t axis = 0, bool unsafe = false,
                      const std::optional<Scalar>& initial = {});

}  // namespace vitro
