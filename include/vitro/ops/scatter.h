// A copy with the elements replaced that a view of it sees, or that indices name.
//   Tensor y = slice_scatter(x, src, 0, 2, 4);         // y[2:4] = src
//   Tensor z = index_add(x, 0, rows, src);             // z[rows[k]] += src[k], k = 0, 1, ...
// Indices are i32 or i64; one out of range is an Error.  Where an index comes more than once, the
// elements come in the order of the source (core/op.h, PutSpec): results repeat bit for bit.
#pragma once

#include "vitro/ops/define.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/product.h"
#include "vitro/ops/view.h"

namespace vitro {

// Sums of f16 and bf16 are made in f32 and rounded once, as ATen does.
Tensor scatter_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor index_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);

namespace ops {

struct ScatterOp {
  static constexpr OpKind kind = OpKind::scatter;
  static constexpr int arity = 2;
  static void gradient(Formula& f);  // by the view
  static Attrs same_attrs(AttrsView attrs) { return vitro::Attrs(attrs); }
};
struct SliceScatter : ScatterOp {
  static constexpr std::string_view name = "slice_scatter",
                                    doc = "x with `src` in place of a slice of it.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) "
      "-> Tensor";
  using Attrs = SliceAttrs;
  static void shape(ShapeCall& call);
  static constexpr ScatterInfo info{&Slice::info, &same_attrs};
};
struct SelectScatter : ScatterOp {
  static constexpr std::string_view name = "select_scatter",
                                    doc = "x with `src` at one index of dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor src, int dim, SymInt index) -> Tensor";
  using Attrs = SelectAttrs;
  static void shape(ShapeCall& call);
  static constexpr ScatterInfo info{&Select::info, &same_attrs};
};

struct DiagonalScatter : ScatterOp {
  static constexpr std::string_view name = "diagonal_scatter",
                                    doc = "x with `src` in place of a diagonal of it.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor";
  using Attrs = DiagonalAttrs;
  static void shape(ShapeCall& call);
  static constexpr ScatterInfo info{&Diagonal::info, &same_attrs};
};
struct AsStridedScatter : ScatterOp {
  static constexpr std::string_view name = "as_strided_scatter",
                                    doc = "x with `src` in place of what as_strided shows of it.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> "
      "Tensor";
  using Attrs = AsStridedAttrs;
  static void shape(ShapeCall& call);
  static constexpr ScatterInfo info{&AsStrided::info, &same_attrs};
};

struct PutOp {
  static constexpr OpKind kind = OpKind::scatter;
  static constexpr int arity = 3;
  using Attrs = DimAttrs;
  static void gradient(Formula& f);  // by the spec
};
struct Scatter : PutOp {
  static constexpr std::string_view
      name = "scatter",
      doc = "x with the elements of `src` in the places that the indices name along dim.";
  static constexpr std::string_view signatures =
      ".src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, int rank) {
    return {2, 1, wrap_dim(name, attrs.as<Attrs>().dim, rank), true, false};
  }
  static constexpr PutInfo info{&spec};
};
struct ScatterAdd : Scatter {
  static constexpr std::string_view
      name = "scatter_add",
      doc = "x with the elements of `src` added in the places that the indices name along dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, int rank) {
    return {2, 1, wrap_dim(name, attrs.as<Attrs>().dim, rank), true, true};
  }
  static constexpr PutInfo info{&spec};
  static constexpr auto function = &vitro::scatter_add;
};
struct IndexCopy : PutOp {
  static constexpr std::string_view
      name = "index_copy",
      doc = "x with slices of `source` in place of those that the indices name along dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, Tensor source) -> Tensor";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, int rank) {
    return {2, 1, wrap_dim(name, attrs.as<Attrs>().dim, rank), false, false};
  }
  static constexpr PutInfo info{&spec};
};
struct IndexAdd : IndexCopy {
  static constexpr std::string_view
      name = "index_add",
      doc = "x with alpha * slices of `source` added to those that the indices name along dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, int rank) {
    return {2, 1, wrap_dim(name, attrs.as<Attrs>().dim, rank), false, true};
  }
  static constexpr PutInfo info{&spec};
  static constexpr auto function = &vitro::index_add;
};

struct EmbeddingBackwardAttrs {
  Size num_weights = 0;
  Size padding_idx = -1;
  static constexpr void each(auto&& f) {
    f("num_weights", &EmbeddingBackwardAttrs::num_weights);
    f("padding_idx", &EmbeddingBackwardAttrs::padding_idx);
  }
};
struct EmbeddingDenseBackward : Composite {
  static constexpr std::string_view
      name = "embedding_dense_backward",
      doc = "The gradient of the weight of an embedding: rows of grad summed by index.";
  static constexpr std::string_view signatures =
      "(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool "
      "scale_grad_by_freq) -> Tensor";
  static constexpr int arity = 2;
  using Attrs = EmbeddingBackwardAttrs;
  static void shape(ShapeCall& call);
  static void expand(std::span<const Operand> operands, AttrsView attrs, std::span<Tensor> results);
};

}  // namespace ops

inline Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Tensor& src) {
  return ops::call<ops::Scatter>(x.where, {x.operand, index, src}, {dim});
}
inline Tensor index_copy(ops::At x, int64_t dim, const Tensor& index, const Tensor& source) {
  return ops::call<ops::IndexCopy>(x.where, {x.operand, index, source}, {dim});
}
// Rows of grad_output [..., d] summed by their indices [...] into [num_weights, d]; those of index
// padding_idx do not count.
inline Tensor embedding_dense_backward(ops::At grad_output, const Tensor& indices, Size num_weights,
                                       Size padding_idx = -1) {
  return ops::call<ops::EmbeddingDenseBackward>(grad_output.where, {grad_output.operand, indices},
                                                {num_weights, padding_idx});
}

inline Tensor slice_scatter(ops::At x, const Tensor& src, int64_t dim = 0, Size start = 0,
                            Size end = INT64_MAX, int64_t step = 1) {
  return ops::call<ops::SliceScatter>(x.where, {x.operand, src}, {dim, start, end, step});
}
inline Tensor select_scatter(ops::At x, const Tensor& src, int64_t dim, Size index) {
  return ops::call<ops::SelectScatter>(x.where, {x.operand, src}, {dim, index});
}
inline Tensor diagonal_scatter(ops::At x, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0,
                               int64_t dim2 = 1) {
  return ops::call<ops::DiagonalScatter>(x.where, {x.operand, src}, {offset, dim1, dim2});
}
// Every element at most once: sizes and strides must not overlap.
inline Tensor as_strided_scatter(ops::At x, const Tensor& src, SizesArg size, SizesArg stride,
                                 Size storage_offset = 0) {
  return ops::call<ops::AsStridedScatter>(x.where, {x.operand, src},
                                          {std::move(size), std::move(stride), storage_offset});
}

}  // namespace vitro
