// Selects elements by tensors of integer indices (i32 or i64). An index out of range is an Error
// that names the op, the index and the valid range.
//   Tensor rows = embedding(weight, ids);   Tensor y = gather(x, 1, index);
//   Tensor z = index(x, {i, {}, j});        // x[i, :, j] in PyTorch
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "vitro/ops/define.h"

namespace vitro {

// x[indices]: each tensor indexes the next dimension of x; an undefined one selects all of it.
// Indices broadcast; negative ones count from the end. The dimensions of the indices replace those
// that they index, or come first if these are not adjacent. A mask (bool) indexes as many
// dimensions as it has and selects where it is true: the number of elements depends on data.
Tensor index(ops::At x, std::span<const Tensor> indices);
inline Tensor index(ops::At x, std::initializer_list<Tensor> indices) {
  return index(x, std::span(indices.begin(), indices.size()));
}
// The same with one index. For a mask, whose sizes must be the first sizes of x, the result has
// sizes [u, the other sizes of x].
Tensor index(ops::At x, const Tensor& mask);
// Elements of the flattened x; the result has the sizes of the indices.
Tensor take(ops::At x, const Tensor& index);
// A tensor without dimensions counts as one of sizes [1].
Tensor gather(ops::At x, int64_t dim, const Tensor& index);

namespace ops {

struct GatherOp {
  static constexpr OpKind kind = OpKind::gather;
  static constexpr int arity = 2;
  static void gradient(Formula& f);  // uses the spec
};
struct DimAttrs {
  int64_t dim = 0;
  static constexpr void each(auto&& f) { f("dim", &DimAttrs::dim); }
};

struct EmbeddingAttrs {
  Size padding_idx = -1;            // this row of the weight has no gradient
  bool scale_grad_by_freq = false;  // divide the gradient of a row by its number of uses
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
  static constexpr auto function = &vitro::gather;
};
// Takes only integer indices; the function `index` first replaces masks by positions.
struct Index : GatherOp {
  static constexpr std::string_view
      name = "index",
      doc = "The elements at tensors of indices, one per dimension; None selects all of it.";
  static constexpr std::string_view signatures =
      ".Tensor(Tensor self, Tensor?[] indices) -> Tensor";
  static constexpr int max_arity = 255;
  static void shape(ShapeCall& call);
  static GatherSpec spec(AttrsView attrs, std::span<const int> ranks);
  static constexpr GatherInfo info{&spec};
  static constexpr auto function =
      static_cast<Tensor (*)(At, std::span<const Tensor>)>(&vitro::index);
};

// For a list of indices that begins with operand 1: the axes that it indexes, and the position of
// the dimensions of the indices in the result.
struct IndexedTogether {
  IndexedAxes axes;
  int64_t first = 0;
};
IndexedTogether indexed_by_list(std::span<const int> ranks);
// Error unless indices are integers.
void check_integers(std::string_view op, DType indices);
// Error if the list of indices is invalid for `x`; sizes are checked later.
void check_index_list(std::string_view op, const TensorMeta& x, std::span<const Argument> operands);
// Error if indices refer to an axis of size 0. This depends on sizes only, so it is an Error even
// if the result is unused or empty. `indices`: the sizes of the indices in use; sizes that depend
// on data are not checked.
void check_has_indexed(std::string_view op, const Sizes& x, const IndexedAxes& axes,
                       const Sizes& indices);
// The sizes to which the indices of the axes broadcast.
Sizes indices_together(std::string_view op, const IndexedAxes& axes,
                       std::span<const Argument> operands);
// The sizes of the result of indexing `x`.
Sizes indexed_sizes(std::string_view op, const Sizes& x, const IndexedAxes& axes, int64_t first,
                    std::span<const Argument> operands);
// Indices for an op: masks are replaced by the positions where they are true.
std::vector<Tensor> without_masks(std::string_view op, const At& x,
                                  std::span<const Tensor> indices);

}  // namespace ops

// The row `padding_idx` of the weight has no gradient; -1: all rows have one. scale_grad_by_freq
// divides the gradient of a row by the number of indices that select it.
inline Tensor embedding(ops::At weight, const Tensor& indices, Size padding_idx = -1,
                        bool scale_grad_by_freq = false) {
  return ops::call<ops::Embedding>(weight.where, {weight.operand, indices},
                                   {padding_idx, scale_grad_by_freq});
}
inline Tensor index_select(ops::At x, int64_t dim, const Tensor& index) {
  return ops::call<ops::IndexSelect>(x.where, {x.operand, index}, {dim});
}

}  // namespace vitro
