// Quantiles, covariances, histograms and distinct elements, written with ops.
//   Tensor q = quantile(x, 0.9, -1);   auto [values, places, counts] = unique(x);
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {

// The elements below which a part q of each row along dim lies, q a number or a vector, which
// becomes dimension 0 of the result; without dim of all elements. Between two elements
// `interpolation` is linear, lower, higher, midpoint or nearest. A row with a NaN has the quantile
// NaN; nanquantile ignores NaNs.
Tensor quantile(ops::At x, const Operand& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                std::string_view interpolation = "linear");
Tensor nanquantile(ops::At x, const Operand& q, std::optional<int64_t> dim = {},
                   bool keepdim = false, std::string_view interpolation = "linear");
Tensor nanmean(ops::At x, DimsArg dim = {}, bool keepdim = false, std::optional<DType> dtype = {});
// The deviation and the mean.
std::pair<Tensor, Tensor> std_mean(ops::At x, DimsArg dim = {}, double correction = 1,
                                   bool keepdim = false);
// The covariances of variables, the rows of x. Observations, the columns, count fweights times, and
// have the weights aweights. No weight may be negative, which is not checked.
Tensor cov(ops::At x, int64_t correction = 1, const Tensor& fweights = {},
           const Tensor& aweights = {});
Tensor corrcoef(ops::At x);

// The number of times that each integer from 0 on occurs in x, or the sum of the weights there;
// for at least `minlength` integers.
Tensor bincount(ops::At x, const Tensor& weights = {}, int64_t minlength = 0);
// The number of elements, or the sum of their weights, between neighbouring edges, the last one
// included; or their density. `histogram(x, 100)` has equal parts of the range, by default from the
// smallest to the largest element. Returns the counts and the edges.
std::pair<Tensor, Tensor> histogram(ops::At x, const Tensor& edges, const Tensor& weight = {},
                                    bool density = false);
std::pair<Tensor, Tensor> histogram(ops::At x, int64_t bins = 100,
                                    const std::vector<double>& range = {},
                                    const Tensor& weight = {}, bool density = false);
// The same of points [..., d] in the parts of a space of d dimensions, with edges for each.
std::pair<Tensor, std::vector<Tensor>> histogramdd(ops::At x, std::span<const Tensor> edges,
                                                   const Tensor& weight = {}, bool density = false);
std::pair<Tensor, std::vector<Tensor>> histogramdd(ops::At x, const Dims& bins,
                                                   const std::vector<double>& range = {},
                                                   const Tensor& weight = {}, bool density = false);

// The distinct elements, ascending; for each element of x its place among them; how often each
// occurs. With dim, the distinct slices along it, in lexicographic order. No NaN equals another.
std::tuple<Tensor, Tensor, Tensor> unique(ops::At x, std::optional<int64_t> dim = {});
// The same, of each run of equal neighbours.
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(ops::At x, std::optional<int64_t> dim = {});

// nonzero with exactly `size` rows: the first ones, filled up with `fill_value`.
Tensor nonzero_static(ops::At x, Size size, int64_t fill_value = -1);

// Estimates of the derivatives along the dimensions `dim` (all by default) from neighbours that are
// `spacing` apart, a number for each dimension, or at the places `spacing`, a vector for each.
// At the borders from two elements, or three with edge_order = 2.
std::vector<Tensor> gradient(ops::At x, const std::vector<Scalar>& spacing = {}, DimsArg dim = {},
                             int64_t edge_order = 1);
std::vector<Tensor> gradient(ops::At x, std::span<const Tensor> spacing, DimsArg dim = {},
                             int64_t edge_order = 1);

}  // namespace vitro
