// Elements picked by tensors of whole-number indices (i32 or i64).  An index out of range is an
// Error that names op, index and what it may be.
//   Tensor rows = embedding(weight, ids);   Tensor y = gather(x, 1, index);
//   Tensor z = index(x, {i, {}, j});        // x[i, :, j] in PyTorch
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {

// x[indices]: each tensor stands for the next dimension of x, one that is not defined for all of
// it.  Indices broadcast; a negative one counts from the end.  Their dimensions stand in the place
// of those that they pick from, or in front where these are not side by side.  A mask (bool) stands
// for as many dimensions as it has, and for the places where it holds: data decide how many.
Tensor index(ops::At x, std::span<const Tensor> indices);
inline Tensor index(ops::At x, std::initializer_list<Tensor> indices) {
  return index(x, std::span(indices.begin(), indices.size()));
}
// The same of one index: x[mask], where the mask has the first sizes of x and picks what lies at
// each place of them, [u, the other sizes].
Tensor index(ops::At x, const Tensor& mask);
// The elements of the flattened x at the indices, whose sizes the result has.
Tensor take(ops::At x, const Tensor& index);

namespace ops {

struct GatherOp {
  static constexpr OpKind kind = OpKind::gather;
  static constexpr int arity = 2;
  static void gradient(Formula& f);  // by the spec
};
struct DimAttrs {
  int64_t dim = 0;
  static constexpr void each(auto&& f) { f("dim", &DimAttrs::dim); }
};

struct EmbeddingAttrs {
  Size padding_idx = -1;            // of the weight's rows the one that has no gradient
  bool scale_grad_by_freq = false;  // the gradient of a row is divided by how often it was picked
  static constexpr void each(auto&& f) {
    f("padding_idx", &EmbeddingAttrs::padding_idx);
    f("scale_grad_by_freq", &EmbeddingAttrs::scale_grad_by_freq);
  }
};
struct Embedding : GatherOp {
  static constexpr std::string_view name = "embedding",
                                    doc = "Rows of `weight` [n, d], one per index.";
  static constexpr std::string_view signatures =
      "(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool "
      "sparse=False) -> Tensor";
  using Attrs = EmbeddingAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static GatherSpec spec(AttrsView, std::span<const int>) { return {0, {{0, 1}}, false}; }
  static constexpr GatherInfo info{&spec};
};
struct IndexSelect : GatherOp {
  static constexpr std::string_view name = "index_select",
                                    doc = "The elements at the indices (rank 1) along dim.";
  static constexpr std::string_view signatures = "(Tensor self, int dim, Tensor index) -> Tensor";
  using Attrs = DimAttrs;
  static void shape(ShapeCall& call);
  static GatherSpec spec(AttrsView attrs, std::span<const int> ranks) {
    const int64_t axis = wrap_dim(name, attrs.as<Attrs>().dim, ranks[0]);
    return {0, {{axis, 1}}, false, axis};
  }
  static constexpr GatherInfo info{&spec};
};
struct Gather : GatherOp {
  static constexpr std::string_view
      name = "gather",
      doc = "For each element of the indices the element of x at that index along dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor";
  using Attrs = DimAttrs;
  static void shape(ShapeCall& call);
  static GatherSpec spec(AttrsView attrs, std::span<const int> ranks) {
    return {0, {{wrap_dim(name, attrs.as<Attrs>().dim, ranks[0]), 1}}, true};
  }
  static constexpr GatherInfo info{&spec};
};
// Of whole numbers alone: masks are no operands of it, the function takes their places first.
struct Index : GatherOp {
  static constexpr std::string_view
      name = "index",
      doc = "The elements that tensors of indices name, each along its dimension; None: all of it.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor?[] indices) -> Tensor";
  static constexpr int max_arity = 255;
  static void shape(ShapeCall& call);
  static GatherSpec spec(AttrsView attrs, std::span<const int> ranks);
  static constexpr GatherInfo info{&spec};
  static constexpr auto function =
      static_cast<Tensor (*)(At, std::span<const Tensor>)>(&vitro::index);
};

// Of a list of indices that begins with operand 1: the axes that it picks from, and where the
// dimensions of the indices stand in the result.
struct PickedTogether {
  PickedAxes axes;
  int64_t first = 0;
};
PickedTogether picked_by_list(std::span<const int> ranks);
// Error where indices are no whole numbers.
void check_integers(std::string_view op, DType indices);
// Error where a list of indices is none for `x`; its sizes come later.
void check_index_list(std::string_view op, const TensorMeta& x, std::span<const Argument> operands);
// Error where indices name elements along an axis that has none.  Sizes alone say so, so it is one
// whether anybody reads the result, or it has elements.  `indices` are those that count; of sizes
// that data decide nothing is said.
void check_has_picked(std::string_view op, const Sizes& x, const PickedAxes& axes,
                      const Sizes& indices);
// The sizes that the indices of the axes broadcast to.
Sizes indices_together(std::string_view op, const PickedAxes& axes,
                       std::span<const Argument> operands);
// The sizes of what they pick from `x`.
Sizes picked_sizes(std::string_view op, const Sizes& x, const PickedAxes& axes, int64_t first,
                   std::span<const Argument> operands);
// Indices as an op takes them: masks as the places where they hold.
std::vector<Tensor> without_masks(std::string_view op, const At& x,
                                  std::span<const Tensor> indices);

}  // namespace ops

// The row `padding_idx` of the weight has no gradient; -1: all have.  With scale_grad_by_freq that
// of a row is divided by the number of indices that pick it.
inline Tensor embedding(ops::At weight, const Tensor& indices, Size padding_idx = -1,
                        bool scale_grad_by_freq = false) {
  return ops::call<ops::Embedding>(weight.where, {weight.operand, indices},
                                   {padding_idx, scale_grad_by_freq});
}
inline Tensor index_select(ops::At x, int64_t dim, const Tensor& index) {
  return ops::call<ops::IndexSelect>(x.where, {x.operand, index}, {dim});
}
inline Tensor gather(ops::At x, int64_t dim, const Tensor& index) {
  return ops::call<ops::Gather>(x.where, {x.operand, index}, {dim});
}

}  // namespace vitro
