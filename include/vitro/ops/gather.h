// Elements picked by a tensor of whole-number indices (i32 or i64).  An index out of range is an
// Error that names op, index, position and size.
//   Tensor rows = embedding(weight, ids);   Tensor y = gather(x, 1, index);
#pragma once

#include "vitro/ops/define.h"

namespace vitro {
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
  Size padding_idx = -1;  // of the weight's rows the one that has no gradient
  static constexpr void each(auto&& f) { f("padding_idx", &EmbeddingAttrs::padding_idx); }
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
  static GatherSpec spec(AttrsView, int) { return {0, 1, 0, false}; }
  static constexpr GatherInfo info{&spec};
};
struct IndexSelect : GatherOp {
  static constexpr std::string_view name = "index_select",
                                    doc = "The elements at the indices (rank 1) along dim.";
  static constexpr std::string_view signatures = "(Tensor self, int dim, Tensor index) -> Tensor";
  using Attrs = DimAttrs;
  static void shape(ShapeCall& call);
  static GatherSpec spec(AttrsView attrs, int rank) {
    return {0, 1, wrap_dim(name, attrs.as<Attrs>().dim, rank), false};
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
  static GatherSpec spec(AttrsView attrs, int rank) {
    return {0, 1, wrap_dim(name, attrs.as<Attrs>().dim, rank), true};
  }
  static constexpr GatherInfo info{&spec};
};

}  // namespace ops

// The row `padding_idx` of the weight has no gradient; -1: all have.
inline Tensor embedding(ops::At weight, const Tensor& indices, Size padding_idx = -1) {
  return ops::call<ops::Embedding>(weight.where, {weight.operand, indices}, {padding_idx});
}
inline Tensor index_select(ops::At x, int64_t dim, const Tensor& index) {
  return ops::call<ops::IndexSelect>(x.where, {x.operand, index}, {dim});
}
inline Tensor gather(ops::At x, int64_t dim, const Tensor& index) {
  return ops::call<ops::Gather>(x.where, {x.operand, index}, {dim});
}

}  // namespace vitro
