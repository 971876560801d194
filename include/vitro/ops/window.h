// Windows: for each element of the result, the elements around a place in the operand.
//   Tensor y = pad(x, {1, 1, 1, 1});        Tensor z = max_pool2d(relu(x), 3, 2, 1);
//   Tensor p = im2col(x, {3, 3}, 1, 1, 1);  Tensor w = upsample_nearest2d(x, {64, 64});
// A definition has the number of elements read (`taps`), their indices (`map`), a tuple as its
// state, and three functions:
//   init(attrs, zero)                  the initial state; `zero` is a 0 of the compute type
//   combine(state, x, inside, place)   adds an element, which is 0 unless it is `inside`;
//                                      `place` (i64) is its row-major index in its plane
//   results(attrs, state, count)       a tuple of the results; `count` is WindowInfo::count
// Taps are in row-major order, which defines the rounding of sums. Taps are unrolled in code, so
// there must be few of them; large pools are reductions of a view instead (max_pool2d and
// avg_pool2d choose).
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"
#include "vitro/ops/product.h"
#include "vitro/ops/view.h"

namespace vitro {

// An empty stride means that of the kernel: windows do not overlap.
Tensor max_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  DimsArg dilation = 1, bool ceil_mode = false);
// The mean of the elements under the kernel; the padding counts if count_include_pad. Sums are
// divided by `divisor_override` if it is given.
Tensor avg_pool2d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = {});

namespace ops {

struct WindowOp {
  static constexpr OpKind kind = OpKind::window;
  static constexpr int arity = 1;
  static int64_t one_tap(AttrsView) { return 1; }
  static DType same_dtype(DType operand) { return operand; }
};

// ---- one tap: ops that copy elements bit by bit (flip, padding) ----

// Base for ops whose map stays inside the operand.
struct CopyOp : WindowOp {
  static auto init(const auto&, auto zero) { return std::make_tuple(zero); }
  static auto combine(auto, auto x, auto, auto) { return std::make_tuple(x); }
  static auto results(const auto&, auto s, auto) { return s; }
};

struct FlipAttrs {
  Dims dims;
  static constexpr void each(auto&& f) { f("dims", &FlipAttrs::dims); }
};
struct Flip : CopyOp {
  static constexpr std::string_view name = "flip",
                                    doc = "x with its elements in reverse order along `dims`.";
  static constexpr std::string_view signatures = "(Tensor self, int[] dims) -> Tensor";
  using Attrs = FlipAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static constexpr WindowInfo info{&one_tap, &map, false, &same_dtype};
};

struct ConstantPadAttrs {
  Sizes pad;  // before and after the last dimension, then the second to last, ...
  Scalar value = 0;
  static constexpr void each(auto&& f) {
    f("pad", &ConstantPadAttrs::pad);
    f("value", &ConstantPadAttrs::value);
  }
};
struct ConstantPadNd : WindowOp {
  static constexpr std::string_view
      name = "constant_pad_nd",
      doc = "x padded with `value` on each side; negative padding removes elements.";
  static constexpr std::string_view signatures =
      "(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor";
  using Attrs = ConstantPadAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static constexpr WindowInfo info{&one_tap, &map, true, &same_dtype};
  static auto init(const Attrs& a, auto zero) {
    return std::make_tuple(a.value.is_floating() ? m::like(zero, a.value.as_double())
                                                 : m::like(zero, a.value.as_int()));
  }
  static auto combine(auto s, auto x, auto inside, auto) {
    return std::make_tuple(m::where(inside, x, std::get<0>(s)));
  }
  static auto results(const Attrs&, auto s, auto) { return s; }
};

struct BorderPadAttrs {
  Sizes padding;  // in the order of ConstantPadAttrs::pad
  static constexpr void each(auto&& f) { f("padding", &BorderPadAttrs::padding); }
};
struct BorderPad : CopyOp {
  using Attrs = BorderPadAttrs;
  static void gradient(Formula& f);
};
struct ReflectionPad : BorderPad {
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static constexpr WindowInfo info{&one_tap, &map, false, &same_dtype};
};
struct ReplicationPad : BorderPad {
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static constexpr WindowInfo info{&one_tap, &map, false, &same_dtype};
};
void shape_of_border_pad(ShapeCall& call, int dims, bool reflects);
struct ReflectionPad1d : ReflectionPad {
  static constexpr std::string_view
      name = "reflection_pad1d",
      doc = "x with its elements mirrored at the ends of the last dimension.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt[2] padding) -> Tensor";
  static void shape(ShapeCall& call) { shape_of_border_pad(call, 1, true); }
};
struct ReflectionPad2d : ReflectionPad {
  static constexpr std::string_view
      name = "reflection_pad2d",
      doc = "x with its elements mirrored at the ends of the last two dimensions.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt[4] padding) -> Tensor";
  static void shape(ShapeCall& call) { shape_of_border_pad(call, 2, true); }
};
struct ReflectionPad3d : ReflectionPad {
  static constexpr std::string_view
      name = "reflection_pad3d",
      doc = "x with its elements mirrored at the ends of the last three dimensions.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt[6] padding) -> Tensor";
  static void shape(ShapeCall& call) { shape_of_border_pad(call, 3, true); }
};
struct ReplicationPad1d : ReplicationPad {
  static constexpr std::string_view
      name = "replication_pad1d",
      doc = "x with its outermost elements repeated along the last dimension.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt[2] padding) -> Tensor";
  static void shape(ShapeCall& call) { shape_of_border_pad(call, 1, false); }
};
struct ReplicationPad2d : ReplicationPad {
  static constexpr std::string_view
      name = "replication_pad2d",
      doc = "x with its outermost elements repeated along the last two dimensions.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt[4] padding) -> Tensor";
  static void shape(ShapeCall& call) { shape_of_border_pad(call, 2, false); }
};
struct ReplicationPad3d : ReplicationPad {
  static constexpr std::string_view
      name = "replication_pad3d",
      doc = "x with its outermost elements repeated along the last three dimensions.";
  static constexpr std::string_view signatures = "(Tensor self, SymInt[6] padding) -> Tensor";
  static void shape(ShapeCall& call) { shape_of_border_pad(call, 3, false); }
};

// ---- pools: one tap for each element of the kernel ----

struct MaxPoolAttrs {
  DimsArg kernel_size, stride, padding{0, 0}, dilation{1, 1};
  bool ceil_mode = false;
  static constexpr void each(auto&& f) {
    f("kernel_size", &MaxPoolAttrs::kernel_size);
    f("stride", &MaxPoolAttrs::stride);
    f("padding", &MaxPoolAttrs::padding);
    f("dilation", &MaxPoolAttrs::dilation);
    f("ceil_mode", &MaxPoolAttrs::ceil_mode);
  }
};
struct MaxPool : WindowOp {
  using Attrs = MaxPoolAttrs;
  static void gradient(Formula& f);
  static int64_t taps(AttrsView attrs);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static constexpr WindowInfo info{&taps, &map, true, &compute_type};
};
struct MaxPool2d : MaxPool {
  static constexpr std::string_view
      name = "max_pool2d",
      doc = "The largest element under each place of the kernel; NaN if there is one.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
      "bool ceil_mode=False) -> Tensor";
  static void shape(ShapeCall& call);
  static constexpr auto function = &vitro::max_pool2d;
  static auto init(const Attrs&, auto zero) { return std::make_tuple(m::lowest(zero)); }
  static auto combine(auto s, auto x, auto inside, auto) {
    const auto most = std::get<0>(s);
    return std::make_tuple(m::maximum(most, m::where(inside, x, m::lowest(x))));
  }
  static auto results(const Attrs&, auto s, auto) { return s; }
};
struct MaxPool2dWithIndices : MaxPool {
  static constexpr std::string_view
      name = "max_pool2d_with_indices",
      doc =
          "The largest element under each place of the kernel, and its index in its plane: the "
          "first of equals, the last NaN.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
      "bool ceil_mode=False) -> (Tensor, Tensor)";
  static void shape(ShapeCall& call);
  // The index returned if the window contains no element because its dilation steps over the plane:
  // that of the first place that is not before the plane, as in ATen.
  static sym::Expr first_place(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                               std::span<const sym::Expr> index);
  static constexpr WindowInfo info{&taps, &map, true, &compute_type, &first_place, true};
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

struct AvgPoolAttrs {
  DimsArg kernel_size, stride, padding{0, 0};
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
struct AvgPool2d : WindowOp {
  static constexpr std::string_view name = "avg_pool2d",
                                    doc =
                                        "The mean of the elements under each place of the "
                                        "kernel.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, "
      "bool count_include_pad=True, int? divisor_override=None) -> Tensor";
  using Attrs = AvgPoolAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static int64_t taps(AttrsView attrs);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index, int64_t tap);
  static sym::Expr count(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                         std::span<const sym::Expr> index);
  static constexpr WindowInfo info{&taps, &map, true, &compute_type, &count};
  static constexpr auto function = &vitro::avg_pool2d;
  static auto init(const Attrs&, auto zero) { return std::make_tuple(zero); }
  static auto combine(auto s, auto x, auto, auto) { return std::make_tuple(std::get<0>(s) + x); }
  static auto results(const Attrs&, auto s, auto count) {
    return std::make_tuple(std::get<0>(s) / count);
  }
};

// ---- a view, and composites ----

struct UnfoldAttrs {
  int64_t dimension = 0, size = 1, step = 1;
  static constexpr void each(auto&& f) {
    f("dimension", &UnfoldAttrs::dimension);
    f("size", &UnfoldAttrs::size);
    f("step", &UnfoldAttrs::step);
  }
};
struct Unfold : ViewOp {
  static constexpr std::string_view
      name = "unfold",
      doc = "Every step-th window of `size` elements along `dimension`, as a new last dimension.";
  static constexpr std::string_view signatures =
      "(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)";
  using Attrs = UnfoldAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static constexpr ViewInfo info{&map};
};

struct Im2colAttrs {
  DimsArg kernel_size, dilation{1, 1}, padding{0, 0}, stride{1, 1};
  static constexpr void each(auto&& f) {
    f("kernel_size", &Im2colAttrs::kernel_size);
    f("dilation", &Im2colAttrs::dilation);
    f("padding", &Im2colAttrs::padding);
    f("stride", &Im2colAttrs::stride);
  }
};
struct Im2col : Composite {
  static constexpr std::string_view
      name = "im2col",
      doc =
          "The patch under each place of the kernel as a column: x [n, c, h, w] as [n, c * kh * "
          "kw, places]; 0 in the padding.";
  static constexpr std::string_view signatures =
      "(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor";
  static constexpr int arity = 1;
  using Attrs = Im2colAttrs;
  static void shape(ShapeCall& call);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

// The patches under each place of a kernel: x [..., h, w] as [..., kh, kw, places down, places
// across], a view of x, or of a dense copy if x is not dense.
Tensor patches(const Tensor& x, const Sizes& kernel, const Dims& stride, const Dims& dilation);

}  // namespace ops

Tensor unfold(ops::At x, int64_t dimension, int64_t size, int64_t step);

Tensor flip(ops::At x, DimsArg dims);  // a copy, even if there are no dimensions to flip

Tensor constant_pad_nd(ops::At x, SizesArg pad, const Scalar& value = 0);
Tensor reflection_pad1d(ops::At x, SizesArg padding);
Tensor reflection_pad2d(ops::At x, SizesArg padding);
Tensor reflection_pad3d(ops::At x, SizesArg padding);
Tensor replication_pad1d(ops::At x, SizesArg padding);
Tensor replication_pad2d(ops::At x, SizesArg padding);
Tensor replication_pad3d(ops::At x, SizesArg padding);
// `mode`: "constant", "reflect" or "replicate"; only "constant" uses `value`.
Tensor pad(ops::At x, SizesArg pad, std::string_view mode = "constant",
           std::optional<double> value = {});

Tensor im2col(ops::At x, DimsArg kernel_size, DimsArg dilation, DimsArg padding, DimsArg stride);

// The values and their indices in their planes.
std::tuple<Tensor, Tensor> max_pool2d_with_indices(ops::At x, DimsArg kernel_size,
                                                   DimsArg stride = {}, DimsArg padding = 0,
                                                   DimsArg dilation = 1, bool ceil_mode = false);
Tensor max_pool1d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  DimsArg dilation = 1, bool ceil_mode = false);
Tensor avg_pool1d(ops::At x, DimsArg kernel_size, DimsArg stride = {}, DimsArg padding = 0,
                  bool ceil_mode = false, bool count_include_pad = true);
// The mean of pieces of equal size: sizes must be multiples of the output sizes.
Tensor adaptive_avg_pool1d(ops::At x, DimsArg output_size);
Tensor adaptive_avg_pool2d(ops::At x, SizesArg output_size);

// Resizes x [n, c, ...]. Indices are computed with the scales if they are given, else with the
// quotients of the sizes.
Tensor upsample_nearest1d(ops::At x, SizesArg output_size, std::optional<double> scales = {});
Tensor upsample_nearest2d(ops::At x, SizesArg output_size, std::optional<double> scales_h = {},
                          std::optional<double> scales_w = {});
Tensor upsample_bilinear2d(ops::At x, SizesArg output_size, bool align_corners,
                           std::optional<double> scales_h = {},
                           std::optional<double> scales_w = {});

}  // namespace vitro
