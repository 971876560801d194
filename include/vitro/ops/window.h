// Windows: for each element of the result, the elements around a place in the operand.
//   Tensor y = pad(x, {1, 1, 1, 1});        Tensor p = im2col(x, {3, 3}, 1, 1, 1);
// A definition has the number of elements read (`taps`), their indices (`map`), a tuple as its
// state, and three functions:
//   init(attrs, zero)                  the initial state; `zero` is a 0 of the compute type
//   combine(state, x, inside, place)   adds an element, which is 0 unless it is `inside`;
//                                      `place` (i64) is its row-major index in its plane, the
//                                      last `plane` dimensions
//   results(attrs, state, count)       a tuple of the results; `count` is WindowInfo::count
// Taps are in row-major order, which defines the rounding of sums. Taps are unrolled in code, so
// there must be few of them; large pools (ops/pool.h) are reductions of a view instead.
#pragma once

#include <optional>
#include <tuple>
#include <utility>

#include "vitro/ops/define.h"
#include "vitro/ops/math.h"
#include "vitro/ops/product.h"
#include "vitro/ops/view.h"

namespace vitro {

// Every step-th window of `size` elements along `dimension`, as a new last dimension.
Tensor unfold(ops::At x, int64_t dimension, int64_t size, int64_t step);

namespace ops {

struct WindowOp {
  static constexpr OpKind kind = OpKind::window;
  static constexpr int arity = 1, plane = 2;
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
  using Body = BorderPad;  // ops that differ only in their maps share the code of their body
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
  static constexpr auto function = &vitro::unfold;
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

// The patches under each place of a kernel over the last dimensions, one for each of its sizes:
// x [..., h, w] as [..., kh, kw, places down, places across], a view of x, or of a dense copy if x
// is not dense.
Tensor patches(const Tensor& x, const Sizes& kernel, const Dims& stride, const Dims& dilation);

}  // namespace ops

Tensor flip(ops::At x, DimsArg dims);  // a copy, even if there are no dimensions to flip

Tensor constant_pad_nd(ops::At x, SizesArg pad, const Scalar& value = 0);
Tensor reflection_pad1d(ops::At x, SizesArg padding);
Tensor reflection_pad2d(ops::At x, SizesArg padding);
Tensor reflection_pad3d(ops::At x, SizesArg padding);
Tensor replication_pad1d(ops::At x, SizesArg padding);
Tensor replication_pad2d(ops::At x, SizesArg padding);
Tensor replication_pad3d(ops::At x, SizesArg padding);
// x repeated beyond its ends in the last dimensions: all but one or two.
Tensor pad_circular(ops::At x, SizesArg pad);
// `mode`: "constant", "reflect", "replicate" or "circular"; only "constant" uses `value`.
Tensor pad(ops::At x, SizesArg pad, std::string_view mode = "constant",
           std::optional<double> value = {});

// torch.nn.functional.unfold.
Tensor im2col(ops::At x, DimsArg kernel_size, DimsArg dilation, DimsArg padding, DimsArg stride);
// torch.nn.functional.fold: planes of output_size, the sums of the columns that im2col would have
// made of them.
Tensor col2im(ops::At x, SizesArg output_size, DimsArg kernel_size, DimsArg dilation,
              DimsArg padding, DimsArg stride);

}  // namespace vitro
