// Interpolation, written with index_select and arithmetic. Indices are computed in the type that
// ATen uses (UpSample.h), so that the same elements are selected.
#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/operators.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

void check_resampled(std::string_view op, const Tensor& x, const SizesArg& size, int dims) {
  VITRO_CHECK(x.rank() == dims + 2, op, ": needs x of rank ", dims + 2, ", got sizes ",
              numbers_of(x.sizes()));
  VITRO_CHECK(static_cast<int>(size.size()) == dims, op, ": needs ", dims, " sizes, got ",
              numbers_of(size));
  for (size_t d = 0; d < size.size(); ++d)
    VITRO_CHECK(less(0, size[d]) && less(0, x.sizes()[2 + d]), op, ": sizes must be positive, got ",
                numbers_of(size), " for x of sizes ", numbers_of(x.sizes()));
}

// The step in x per step of the result; `like`: a tensor of the type in which ATen computes it.
Tensor step_in_operand(Size from, Size to, const std::optional<double>& scale, const Tensor& like) {
  const auto number = [&](const Scalar& n) { return full({}, n, like.dtype(), like.device()); };
  if (scale && *scale > 0) return number(1.0 / *scale);
  return number(Scalar(from)) / number(Scalar(to));
}

Tensor nearest_along(const Tensor& x, int64_t dim, Size to, const std::optional<double>& scale) {
  const Size from = x.size(dim);
  const Tensor index = vitro::to(arange(to, {}, x.device()), DType::f32);
  const Tensor at = index * step_in_operand(from, to, scale, index);
  return index_select(x, dim, minimum(vitro::to(floor(at), DType::i64), from - 1));
}

// Two neighbors along a dimension, and the weight of the second.
struct Neighbours {
  Tensor first, second, weight;
};
Neighbours neighbours_of(Size from, Size to, bool align_corners, const std::optional<double>& scale,
                         const Tensor& x) {
  const Tensor places = arange(to, {}, x.device());
  const Tensor index = vitro::to(places, x.dtype());
  if (equal(from, to)) return {places, places, index * 0};  // no interpolation
  Tensor at;
  if (align_corners) {
    const bool one = equal(to, 1);
    at = one ? index * 0 : index * step_in_operand(from - 1, to - 1, {}, index);
  } else {
    at = maximum((index + 0.5) * step_in_operand(from, to, scale, index) - 0.5, 0);
  }
  const Tensor first = minimum(vitro::to(floor(at), DType::i64), from - 1);
  return {first, minimum(first + 1, from - 1), clamp(at - vitro::to(first, x.dtype()), 0.0, 1.0)};
}

// The scale to use between planes: nullopt, so that of the sizes, if the size is kept or doubled.
std::optional<double> scale_of_planes(Size from, Size to, const std::optional<double>& scale) {
  const bool by_sizes = scale && (equal(from, to) || equal(from * 2, to));
  return by_sizes ? std::nullopt : scale;
}

Tensor between(const Tensor& x, int64_t dim, const Neighbours& n) {
  Sizes sizes(static_cast<size_t>(x.rank()), Size(1));
  sizes[static_cast<size_t>(dim)] = n.weight.size(0);
  const Tensor weight = view(n.weight, sizes);
  return index_select(x, dim, n.first) * (1 - weight) + index_select(x, dim, n.second) * weight;
}

}  // namespace

Tensor upsample_nearest1d(ops::At x, SizesArg output_size, std::optional<double> scales) {
  const CalledAs name("upsample_nearest1d", x.where);
  const Tensor& t = x.operand.tensor();
  check_resampled("upsample_nearest1d", t, output_size, 1);
  return nearest_along(t, 2, output_size[0], scales);
}
Tensor upsample_nearest2d(ops::At x, SizesArg output_size, std::optional<double> scales_h,
                          std::optional<double> scales_w) {
  const CalledAs name("upsample_nearest2d", x.where);
  const Tensor& t = x.operand.tensor();
  check_resampled("upsample_nearest2d", t, output_size, 2);
  const Size height = output_size[0], width = output_size[1];
  const Tensor rows = nearest_along(t, 2, height, scale_of_planes(t.size(2), height, scales_h));
  return nearest_along(rows, 3, width, scale_of_planes(t.size(3), width, scales_w));
}
Tensor upsample_bilinear2d(ops::At x, SizesArg output_size, bool align_corners,
                           std::optional<double> scales_h, std::optional<double> scales_w) {
  const CalledAs name("upsample_bilinear2d", x.where);
  const Tensor& t = x.operand.tensor();
  check_resampled("upsample_bilinear2d", t, output_size, 2);
  VITRO_CHECK(is_floating(t.dtype()), "upsample_bilinear2d: takes floating-point numbers, got ",
              t.dtype());
  const Tensor wide = to(t, compute_type(t.dtype()));
  const Neighbours rows = neighbours_of(t.size(2), output_size[0], align_corners, scales_h, wide);
  const Neighbours columns =
      neighbours_of(t.size(3), output_size[1], align_corners, scales_w, wide);
  return to(between(between(wide, 3, columns), 2, rows), t.dtype());
}

}  // namespace vitro
