// Views: the same memory with other indices. A definition has the shape rule and `map`, the
// operand's index for each element of the result; if the map is affine, strides follow from it.
//   Tensor y = view(x, {-1, 4});   Tensor t = transpose(y, 0, 1);   Tensor r = select(t, 0, 2);
#pragma once

#include <optional>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {

// Elements of a dense x at any strides. storage_offset counts from the first element of x, and only
// elements of x can be reached; PyTorch's counts from the beginning of the memory that x is in, and
// reaches all of it.
Tensor as_strided(ops::At x, SizesArg size, SizesArg stride, Size storage_offset = 0);
// Without all dimensions of size 1, or without those of the given ones that have size 1.
Tensor squeeze(ops::At x);
Tensor squeeze(ops::At x, DimsArg dim);

namespace ops {

using IndexList = SmallVector<sym::Expr, 6>;

struct ViewOp {
  static constexpr OpKind kind = OpKind::view;
  static constexpr int arity = 1;
  // Uses `back`, or the scatter with the same view.
  static void gradient(Formula& f);
};

struct ViewAttrs {
  Sizes size;
  static constexpr void each(auto&& f) { f("size", &ViewAttrs::size); }
};
struct View : ViewOp {
  static constexpr std::string_view
      name = "view",
      doc = "The same elements in the same order with other sizes; one size may be -1.";
  static constexpr std::string_view signatures = "(Tensor(a) self, SymInt[] size) -> Tensor(a)";
  using Attrs = ViewAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static ViewBack back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs);
  static constexpr ViewInfo info{&map, &back};
};

struct Detach : ViewOp {
  static constexpr std::string_view name = "detach",
                                    doc = "x as a constant: the gradient of x is 0.";
  static constexpr std::string_view signatures = "(Tensor(a) self) -> Tensor(a)";
  static void shape(ShapeCall& call);
  static void gradient(Formula&) {}
  static constexpr bool is_constant = true;
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static ViewBack back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs);
  static constexpr ViewInfo info{&map, &back};
};

struct PermuteAttrs {
  Dims dims;
  static constexpr void each(auto&& f) { f("dims", &PermuteAttrs::dims); }
};
struct Permute : ViewOp {
  static constexpr std::string_view name = "permute", doc = "x with its dimensions permuted.";
  static constexpr std::string_view signatures = "(Tensor(a) self, int[] dims) -> Tensor(a)";
  using Attrs = PermuteAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static ViewBack back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs);
  static constexpr ViewInfo info{&map, &back};
};

struct ExpandAttrs {
  Sizes size;
  static constexpr void each(auto&& f) { f("size", &ExpandAttrs::size); }
};
struct Expand : ViewOp {
  static constexpr std::string_view name = "expand",
                                    doc = "x with dimensions of size 1 repeated; -1 keeps a size.";
  static constexpr std::string_view signatures =
      "(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)";
  using Attrs = ExpandAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static ViewBack back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs);
  static constexpr ViewInfo info{&map, &back};
};

struct SliceAttrs {
  int64_t dim = 0;
  Size start = 0;
  Size end = INT64_MAX;  // negative: counts from the end
  int64_t step = 1;
  static constexpr void each(auto&& f) {
    f("dim", &SliceAttrs::dim);
    f("start", &SliceAttrs::start);
    f("end", &SliceAttrs::end);
    f("step", &SliceAttrs::step);
  }
};
struct Slice : ViewOp {
  static constexpr std::string_view
      name = "slice",
      doc = "Every step-th element along dim from start up to, not including, end.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> "
      "Tensor(a)";
  using Attrs = SliceAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static constexpr ViewInfo info{&map};
};

struct SelectAttrs {
  int64_t dim = 0;
  Size index = 0;
  static constexpr void each(auto&& f) {
    f("dim", &SelectAttrs::dim);
    f("index", &SelectAttrs::index);
  }
};
struct Select : ViewOp {
  static constexpr std::string_view name = "select",
                                    doc = "The elements at one index of dim, which is removed.";
  static constexpr std::string_view signatures =
      ".int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)";
  using Attrs = SelectAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static constexpr ViewInfo info{&map};
};

struct SqueezeAttrs {
  Dims dim;  // empty: all
  static constexpr void each(auto&& f) { f("dim", &SqueezeAttrs::dim); }
};
struct Squeeze : ViewOp {
  static constexpr std::string_view name = "squeeze",
                                    doc = "x without the given dimensions that have size 1.";
  static constexpr std::string_view signatures =
      "(Tensor(a) self) -> Tensor(a)\n"
      ".dim(Tensor(a) self, int dim) -> Tensor(a)\n"
      ".dims(Tensor(a) self, int[] dim) -> Tensor(a)";
  using Attrs = SqueezeAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static ViewBack back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs);
  static constexpr ViewInfo info{&map, &back};
  static Tensor of(At x, const std::optional<Dims>& dim);
  static constexpr auto function = &of;
};

struct UnsqueezeAttrs {
  int64_t dim = 0;
  static constexpr void each(auto&& f) { f("dim", &UnsqueezeAttrs::dim); }
};
struct Unsqueeze : ViewOp {
  static constexpr std::string_view name = "unsqueeze",
                                    doc = "x with a dimension of size 1 inserted at dim.";
  static constexpr std::string_view signatures = "(Tensor(a) self, int dim) -> Tensor(a)";
  using Attrs = UnsqueezeAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static ViewBack back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs);
  static constexpr ViewInfo info{&map, &back};
};

struct DiagonalAttrs {
  int64_t offset = 0;
  int64_t dim1 = 0;
  int64_t dim2 = 1;
  static constexpr void each(auto&& f) {
    f("offset", &DiagonalAttrs::offset);
    f("dim1", &DiagonalAttrs::dim1);
    f("dim2", &DiagonalAttrs::dim2);
  }
};
struct Diagonal : ViewOp {
  static constexpr std::string_view
      name = "diagonal",
      doc = "The elements where dim2 = dim1 + offset, as a new last dimension.";
  static constexpr std::string_view signatures =
      "(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)";
  using Attrs = DiagonalAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static constexpr ViewInfo info{&map};
};

struct AsStridedAttrs {
  Sizes size, stride;
  Size storage_offset = 0;
  static constexpr void each(auto&& f) {
    f("size", &AsStridedAttrs::size);
    f("stride", &AsStridedAttrs::stride);
    f("storage_offset", &AsStridedAttrs::storage_offset);
  }
};
struct AsStrided : ViewOp {
  static constexpr std::string_view
      name = "as_strided",
      doc = "Elements of a dense vector at any strides; storage_offset counts from its first one.";
  static constexpr std::string_view signatures =
      "(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)";
  using Attrs = AsStridedAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static constexpr ViewInfo info{&map};
  static constexpr auto function = &vitro::as_strided;
};

// The strides of a view of `x` with sizes `size`; nullopt if elements would have to be moved.
std::optional<Sizes> view_strides(const TensorMeta& x, const Sizes& size);
// `size` with -1 replaced using the number of elements. Error naming `op`.
Sizes resolved_size(std::string_view op, const TensorMeta& x, const Sizes& size);

}  // namespace ops

// Error if the strides do not allow a view: "use reshape".
Tensor view(ops::At x, SizesArg size);
// A view if the strides allow it, else a copy.
Tensor reshape(ops::At x, SizesArg size);
Tensor flatten(ops::At x, int64_t start_dim = 0, int64_t end_dim = -1);
Tensor permute(ops::At x, DimsArg dims);
Tensor transpose(ops::At x, int64_t dim0, int64_t dim1);
Tensor t(ops::At x);  // rank at most 2
Tensor expand(ops::At x, SizesArg size);
Tensor slice(ops::At x, int64_t dim = 0, Size start = 0, Size end = INT64_MAX, int64_t step = 1);
Tensor narrow(ops::At x, int64_t dim, Size start, Size length);
Tensor select(ops::At x, int64_t dim, Size index);
// x with the same memory, but as a constant: its gradient is 0.
Tensor detach(ops::At x);
Tensor unsqueeze(ops::At x, int64_t dim);
Tensor diagonal(ops::At x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
// Pieces of `split_size` along dim; the last may be smaller.
std::vector<Tensor> split(ops::At x, int64_t split_size, int64_t dim = 0);
std::vector<Tensor> split_with_sizes(ops::At x, const Dims& sizes, int64_t dim = 0);
// At most `chunks` pieces of equal size along dim; the last may be smaller.
std::vector<Tensor> chunk(ops::At x, int64_t chunks, int64_t dim = 0);
std::vector<Tensor> unbind(ops::At x, int64_t dim = 0);

}  // namespace vitro
