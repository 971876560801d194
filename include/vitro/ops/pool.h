// Pools: for each place of a kernel, the largest of the elements under it, or their mean.
//   Tensor y = max_pool2d(relu(x), 3, 2, 1);     Tensor z = adaptive_avg_pool2d(x, {7, 7});
// The last one to three dimensions of x are pooled, as the name says; they are a plane, and one or
// two others precede them. One number is for all of these dimensions.
// Small kernels are windows (ops/window.h); large ones are reductions of a view of the patches,
// which loop over the kernel instead of unrolling it.
#pragma once

#include <optional>
#include <tuple>

#include "vitro/ops/math.h"
#include "vitro/ops/window.h"

namespace vitro {

// An empty stride means that of the kernel: windows do not overlap.
Tensor max_pool1d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  DimsArg dilation = 1, bool ceil_mode = false);
Tensor max_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  DimsArg dilation = 1, bool ceil_mode = false);
Tensor max_pool3d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  DimsArg dilation = 1, bool ceil_mode = false);
// The values and their indices in their planes.
std::tuple<Tensor, Tensor> max_pool1d_with_indices(ops::At x, DimsArg kernel_size,
                                                   DimsArg stride = {}, DimsArg padding = 0,
                                                   DimsArg dilation = 1, bool ceil_mode = false);
std::tuple<Tensor, Tensor> max_pool2d_with_indices(ops::At x, DimsArg kernel_size,
                                                   DimsArg stride = {}, DimsArg padding = 0,
                                                   DimsArg dilation = 1, bool ceil_mode = false);
std::tuple<Tensor, Tensor> max_pool3d_with_indices(ops::At x, DimsArg kernel_size,
                                                   DimsArg stride = {}, DimsArg padding = 0,
                                                   DimsArg dilation = 1, bool ceil_mode = false);
// The mean of the elements under the kernel; the padding counts if count_include_pad. Sums are
// divided by `divisor_override` if it is given.
Tensor avg_pool1d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = {});
Tensor avg_pool3d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = {});
// The norm of the elements under the kernel: the root of order `norm` of the sum of their powers.
Tensor lp_pool1d(ops::At x, double norm, DimsArg kernel_size, DimsArg stride = {},
                 bool ceil_mode = false);
Tensor lp_pool2d(ops::At x, double norm, DimsArg kernel_size, DimsArg stride = {},
                 bool ceil_mode = false);
Tensor lp_pool3d(ops::At x, double norm, DimsArg kernel_size, DimsArg stride = {},
                 bool ceil_mode = false);

// The largest elements under kernels that begin at random places, and their indices in their
// planes; random_samples [n, c, d] in [0, 1) has d numbers for each plane.
std::pair<Tensor, Tensor> fractional_max_pool2d(ops::At x, const Dims& kernel_size,
                                                const Dims& output_size,
                                                const Tensor& random_samples);
std::pair<Tensor, Tensor> fractional_max_pool3d(ops::At x, const Dims& kernel_size,
                                                const Dims& output_size,
                                                const Tensor& random_samples);

// Pools whose result has the given sizes: element i of n is pooled from those of a dimension of m
// elements that begin at i * m / n, rounded down, and end at (i + 1) * m / n, rounded up.
Tensor adaptive_avg_pool1d(ops::At x, SizesArg output_size);
Tensor adaptive_avg_pool2d(ops::At x, SizesArg output_size);
Tensor adaptive_avg_pool3d(ops::At x, SizesArg output_size);
// The largest elements, and their indices in their planes.
std::tuple<Tensor, Tensor> adaptive_max_pool1d(ops::At x, SizesArg output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool2d(ops::At x, SizesArg output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool3d(ops::At x, SizesArg output_size);

// Planes of output_size that are 0 except for the elements of x at their indices.
Tensor max_unpool2d(ops::At x, const Tensor& indices, SizesArg output_size);
// stride and padding are those of the pool; ATen checks them and does not use them.
Tensor max_unpool3d(ops::At x, const Tensor& indices, SizesArg output_size, DimsArg stride,
                    DimsArg padding);

// The gradient of x for that of the result.
Tensor max_pool2d_with_indices_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                                        DimsArg stride, DimsArg padding, DimsArg dilation,
                                        bool ceil_mode, const Tensor& indices);
Tensor max_pool3d_with_indices_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                                        DimsArg stride, DimsArg padding, DimsArg dilation,
                                        bool ceil_mode, const Tensor& indices);
Tensor avg_pool2d_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                           DimsArg stride, DimsArg padding, bool ceil_mode, bool count_include_pad,
                           std::optional<int64_t> divisor_override);
Tensor avg_pool3d_backward(ops::At grad_output, const Tensor& x, DimsArg kernel_size,
                           DimsArg stride, DimsArg padding, bool ceil_mode, bool count_include_pad,
                           std::optional<int64_t> divisor_override);
Tensor adaptive_avg_pool2d_backward(ops::At grad_output, const Tensor& x);
Tensor adaptive_avg_pool3d_backward(ops::At grad_output, const Tensor& x);
Tensor adaptive_max_pool2d_backward(ops::At grad_output, const Tensor& x, const Tensor& indices);
Tensor adaptive_max_pool3d_backward(ops::At grad_output, const Tensor& x, const Tensor& indices);

namespace ops {

struct MaxPoolAttrs {
  DimsArg kernel_size, stride, padding = 0, dilation = 1;
  bool ceil_mode = false;
  static constexpr void each(auto&& f) {
    f("kernel_size", &MaxPoolAttrs::kernel_size);
    f("stride", &MaxPoolAttrs::stride);
    f("padding", &MaxPoolAttrs::padding);
    f("dilation", &MaxPoolAttrs::dilation);
    f("ceil_mode", &MaxPoolAttrs::ceil_mode);
  }
};

struct MaxPoolBody : WindowOp {
  using Attrs = MaxPoolAttrs;
  using Body = MaxPoolBody;
  static auto init(const Attrs&, auto zero) { return std::make_tuple(m::lowest(zero)); }
  static auto combine(auto s, auto x, auto inside, auto) {
    const auto most = std::get<0>(s);
    return std::make_tuple(m::maximum(most, m::where(inside, x, m::lowest(x))));
  }
  static auto results(const Attrs&, auto s, auto) { return s; }
};
// `dims`: the number of dimensions of a plane.
template <int dims>
struct MaxPool : MaxPoolBody {
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static int64_t taps(AttrsView attrs);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static constexpr WindowInfo info{&taps, &map, true, &compute_type};
};
extern template struct MaxPool<2>;
extern template struct MaxPool<3>;

struct MaxPool2d : MaxPool<2> {
  static constexpr std::string_view
      name = "max_pool2d",
      doc = "The largest element under each place of the kernel; NaN if there is one.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
      "bool ceil_mode=False) -> Tensor";
  static constexpr auto function = &vitro::max_pool2d;
};
struct MaxPool3d : MaxPool<3> {
  static constexpr std::string_view
      name = "max_pool3d",
      doc = "The largest element under each place of the kernel; NaN if there is one.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, "
      "bool ceil_mode=False) -> Tensor";
  static constexpr auto function = &vitro::max_pool3d;
};

struct MaxPoolWithIndicesBody : WindowOp {
  using Attrs = MaxPoolAttrs;
  using Body = MaxPoolWithIndicesBody;
  static auto init(const Attrs&, auto zero) {
    return std::make_tuple(m::lowest(zero), m::like(m::last_index(zero), -1));
  }
  static auto combine(auto s, auto x, auto inside, auto place) {
    const auto most = std::get<0>(s);
    const auto at = std::get<1>(s);
    const auto take = inside && (at < 0 || x > most || m::isnan(x));
    return std::make_tuple(m::where(take, x, most), m::where(take, place, at));
  }
  static auto results(const Attrs&, auto s, auto first) {
    const auto at = std::get<1>(s);
    return std::make_tuple(std::get<0>(s), m::where(at < 0, first, at));
  }
};
template <int dims>
struct MaxPoolWithIndices : MaxPoolWithIndicesBody {
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  // The index returned if the window contains no element because its dilation steps over the plane:
  // that of the first place that is not before the plane, as in ATen.
  static sym::Expr first_place(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                               std::span<const sym::Expr> index);
  static constexpr int plane = dims;
  static constexpr WindowInfo info{&MaxPool<dims>::taps, &MaxPool<dims>::map, true,
                                   &compute_type,        &first_place,        true};
};
extern template struct MaxPoolWithIndices<2>;
extern template struct MaxPoolWithIndices<3>;

struct MaxPool2dWithIndices : MaxPoolWithIndices<2> {
  static constexpr std::string_view
      name = "max_pool2d_with_indices",
      doc =
          "The largest element under each place of the kernel, and its index in its plane: the "
          "first of equals, the last NaN.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
      "bool ceil_mode=False) -> (Tensor, Tensor)";
};
struct MaxPool3dWithIndices : MaxPoolWithIndices<3> {
  static constexpr std::string_view
      name = "max_pool3d_with_indices",
      doc =
          "The largest element under each place of the kernel, and its index in its plane: the "
          "first of equals, the last NaN.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, "
      "bool ceil_mode=False) -> (Tensor, Tensor)";
};

struct AvgPoolAttrs {
  DimsArg kernel_size, stride, padding = 0;
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor_override;
  static constexpr void each(auto&& f) {
    f("kernel_size", &AvgPoolAttrs::kernel_size);
    f("stride", &AvgPoolAttrs::stride);
    f("padding", &AvgPoolAttrs::padding);
    f("ceil_mode", &AvgPoolAttrs::ceil_mode);
    f("count_include_pad", &AvgPoolAttrs::count_include_pad);
    f("divisor_override", &AvgPoolAttrs::divisor_override);
  }
};
struct AvgPoolBody : WindowOp {
  using Attrs = AvgPoolAttrs;
  using Body = AvgPoolBody;
  static auto init(const Attrs&, auto zero) { return std::make_tuple(zero); }
  static auto combine(auto s, auto x, auto, auto) { return std::make_tuple(std::get<0>(s) + x); }
  static auto results(const Attrs&, auto s, auto count) {
    return std::make_tuple(std::get<0>(s) / count);
  }
};
template <int dims>
struct AvgPool : AvgPoolBody {
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static int64_t taps(AttrsView attrs);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static sym::Expr count(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                         std::span<const sym::Expr> index);
  static constexpr WindowInfo info{&taps, &map, true, &compute_type, &count};
};
extern template struct AvgPool<2>;
extern template struct AvgPool<3>;

struct AvgPool2d : AvgPool<2> {
  static constexpr std::string_view name = "avg_pool2d",
                                    doc =
                                        "The mean of the elements under each place of the kernel.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, "
      "bool count_include_pad=True, int? divisor_override=None) -> Tensor";
  static constexpr auto function = &vitro::avg_pool2d;
};
struct AvgPool3d : AvgPool<3> {
  static constexpr std::string_view name = "avg_pool3d",
                                    doc =
                                        "The mean of the elements under each place of the kernel.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, "
      "bool count_include_pad=True, int? divisor_override=None) -> Tensor";
  static constexpr auto function = &vitro::avg_pool3d;
};

}  // namespace ops

}  // namespace vitro
