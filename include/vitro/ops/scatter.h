// Copies of a tensor in which the elements of a view, or those selected by indices, are replaced.
//   Tensor y = slice_scatter(x, src, 0, 2, 4);         // y[2:4] = src
//   Tensor z = index_add(x, 0, rows, src);             // z[rows[k]] += src[k], k = 0, 1, ...
//   index_put_(x, {i, j}, values);                     // x[i, j] = values
// Indices are i32 or i64; one out of range is an Error. If an index occurs more than once, elements
// are combined in the order of the source (core/op.h, PutSpec), so results are reproducible bit for
// bit.
#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include "vitro/ops/define.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/product.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

// How elements written to the same place are combined.
enum class ScatterReduction : uint8_t { sum, prod, mean, amax, amin };
constexpr auto names_of_values(ScatterReduction) {
  return std::array<std::string_view, 5>{"sum", "prod", "mean", "amax", "amin"};
}
// The reductions of `scatter`, under its names.
enum class ScatterWith : uint8_t { add, multiply };
constexpr auto names_of_values(ScatterWith) {
  return std::array<std::string_view, 2>{"add", "multiply"};
}

}  // namespace ops

// Sums of f16 and bf16 are computed in f32 and rounded once, as in ATen.
Tensor scatter_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor index_add(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
// Elements written to the same place are combined by sum, product, mean, maximum or minimum; with
// include_self the element of x takes part.
Tensor scatter_reduce(ops::At x, int64_t dim, const Tensor& index, const Tensor& src,
                      ops::ScatterReduction reduce, bool include_self = true);
// The same for slices along dim; the sum is that of index_add.
Tensor index_reduce(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                    ops::ScatterReduction reduce, bool include_self = true);
// x, dense, with `src` in place of its as_strided view. Elements of `src` must not overlap in x: a
// stride of 0 is an error, and with other strides that make them overlap the result is undefined,
// as in ATen.
Tensor as_strided_scatter(ops::At x, const Tensor& src, SizesArg size, SizesArg stride,
                          Size storage_offset = 0);
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Scalar& value);
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Tensor& src,
               ops::ScatterWith reduce);
Tensor scatter(ops::At x, int64_t dim, const Tensor& index, const Scalar& value,
               ops::ScatterWith reduce);
Tensor index_copy(ops::At x, int64_t dim, const Tensor& index, const Tensor& source);
// x with `values` in place of the elements index(x, indices), or added to them. Values broadcast.
Tensor index_put(ops::At x, std::span<const Tensor> indices, const Tensor& values,
                 bool accumulate = false);
inline Tensor index_put(ops::At x, std::initializer_list<Tensor> indices, const Tensor& values,
                        bool accumulate = false) {
  return index_put(x, std::span(indices.begin(), indices.size()), values, accumulate);
}
// x with `source` in place of the elements of the flattened x at the indices, or added to them.
Tensor put(ops::At x, const Tensor& index, const Tensor& source, bool accumulate = false);
// x with its slices at the indices along dim filled with a number, or with the element of a tensor
// without dimensions.
Tensor index_fill(ops::At x, int64_t dim, const Tensor& index, const Operand& value);

// The same in place: these write the result into x and return x.
Tensor scatter_add_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor index_add_(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                  const Scalar& alpha = 1);
Tensor scatter_reduce_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src,
                       ops::ScatterReduction reduce, bool include_self = true);
Tensor index_reduce_(ops::At x, int64_t dim, const Tensor& index, const Tensor& source,
                     ops::ScatterReduction reduce, bool include_self = true);
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src);
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Scalar& value);
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Tensor& src,
                ops::ScatterWith reduce);
Tensor scatter_(ops::At x, int64_t dim, const Tensor& index, const Scalar& value,
                ops::ScatterWith reduce);
Tensor index_copy_(ops::At x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor index_put_(ops::At x, std::span<const Tensor> indices, const Tensor& values,
                  bool accumulate = false);
inline Tensor index_put_(ops::At x, std::initializer_list<Tensor> indices, const Tensor& values,
                         bool accumulate = false) {
  return index_put_(x, std::span(indices.begin(), indices.size()), values, accumulate);
}
Tensor put_(ops::At x, const Tensor& index, const Tensor& source, bool accumulate = false);
Tensor index_fill_(ops::At x, int64_t dim, const Tensor& index, const Operand& value);

namespace ops {

struct ScatterOp {
  static constexpr OpKind kind = OpKind::scatter;
  static constexpr int arity = 2;
  static void gradient(Formula& f);  // uses the view
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
                                    doc = "x with `src` in place of its as_strided view.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> "
      "Tensor";
  using Attrs = AsStridedAttrs;
  static void shape(ShapeCall& call);
  static constexpr ScatterInfo info{&AsStrided::info, &same_attrs};
  static constexpr auto function = &vitro::as_strided_scatter;
};

struct PutOp {
  static constexpr OpKind kind = OpKind::scatter;
  static constexpr int arity = 3;
  using Attrs = DimAttrs;
  static void gradient(Formula& f);  // uses the spec; for Combine::replace and add
  // Operand 1 is the indices along `dim`, operand 2 the source.
  static PutSpec along(std::string_view op, int64_t dim, int rank, bool same_rank,
                       Combine combine) {
    const int64_t axis = wrap_dim(op, dim, rank);
    return {2, {{axis, 1}}, same_rank, same_rank ? 0 : axis, false, combine};
  }
};
struct Scatter : PutOp {
  static constexpr std::string_view name = "scatter",
                                    doc = "x with the elements of `src` at the indices along dim.";
  static constexpr std::string_view signatures =
      ".src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
  static constexpr std::string_view in_place_signatures =
      ".src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, std::span<const int> ranks) {
    return along(name, attrs.as<Attrs>().dim, ranks[0], true, Combine::replace);
  }
  static constexpr PutInfo info{&spec};
};
struct ScatterAdd : PutOp {
  static constexpr std::string_view
      name = "scatter_add",
      doc = "x with the elements of `src` added at the indices along dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, Tensor src) -> Tensor";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, std::span<const int> ranks) {
    return along(name, attrs.as<Attrs>().dim, ranks[0], true, Combine::add);
  }
  static constexpr PutInfo info{&spec};
  static constexpr auto function = &vitro::scatter_add;
};
struct ScatterReduceAttrs {
  int64_t dim = 0;
  ScatterReduction reduce = ScatterReduction::sum;
  static constexpr void each(auto&& f) {
    f("dim", &ScatterReduceAttrs::dim);
    f("reduce", &ScatterReduceAttrs::reduce);
  }
};
// There is no op for the mean: the function divides a sum.
struct ScatterReduce : PutOp {
  static constexpr std::string_view
      name = "scatter_reduce",
      doc =
          "x with the elements at the indices along dim combined with those of `src`: by sum, "
          "product, mean, maximum or minimum.";
  static constexpr std::string_view signatures =
      ".two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
      "-> Tensor";
  static constexpr std::string_view in_place_signatures =
      ".two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool "
      "include_self=True) -> Tensor(a!)";
  using Attrs = ScatterReduceAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static PutSpec spec(AttrsView attrs, std::span<const int> ranks);
  static constexpr PutInfo info{&spec};
  static constexpr auto function = &vitro::scatter_reduce;
};
struct IndexCopy : PutOp {
  static constexpr std::string_view
      name = "index_copy",
      doc = "x with slices of `source` in place of those at the indices along dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, Tensor source) -> Tensor";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, std::span<const int> ranks) {
    return along(name, attrs.as<Attrs>().dim, ranks[0], false, Combine::replace);
  }
  static constexpr PutInfo info{&spec};
};
struct IndexAdd : PutOp {
  static constexpr std::string_view
      name = "index_add",
      doc = "x with alpha * slices of `source` added to those at the indices along dim.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)";
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, std::span<const int> ranks) {
    return along(name, attrs.as<Attrs>().dim, ranks[0], false, Combine::add);
  }
  static constexpr PutInfo info{&spec};
  static constexpr auto function = &vitro::index_add;
};
// Sums are computed by IndexAdd, and the function computes means from them.
struct IndexReduce : PutOp {
  static constexpr std::string_view name = "index_reduce",
                                    doc =
                                        "x with the slices at the indices along dim combined with "
                                        "those of `source`: by product, mean, maximum or minimum.";
  static constexpr std::string_view signatures =
      "(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) "
      "-> Tensor";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool "
      "include_self=True) -> Tensor(a!)";
  using Attrs = ScatterReduceAttrs;
  static void shape(ShapeCall& call);
  static void gradient(Formula& f);
  static PutSpec spec(AttrsView attrs, std::span<const int> ranks);
  static constexpr PutInfo info{&spec};
  static constexpr auto function = &vitro::index_reduce;
};

struct IndexPutAttrs {
  bool accumulate = false;
  static constexpr void each(auto&& f) { f("accumulate", &IndexPutAttrs::accumulate); }
};
// Takes only integer indices, as Index.
struct IndexPut : PutOp {
  static constexpr std::string_view name = "index_put",
                                    doc =
                                        "x with `values` at tensors of indices, one per dimension.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor";
  static constexpr std::string_view in_place_signatures =
      "(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)";
  static constexpr int max_arity = 255;
  using Attrs = IndexPutAttrs;
  static void shape(ShapeCall& call);
  static PutSpec spec(AttrsView attrs, std::span<const int> ranks);
  static constexpr PutInfo info{&spec};
  static constexpr auto function =
      static_cast<Tensor (*)(At, std::span<const Tensor>, const Tensor&, bool)>(&vitro::index_put);
};

struct EmbeddingBackwardAttrs {
  Size num_weights = 0;
  Size padding_idx = -1;
  bool scale_grad_by_freq = false;
  static constexpr void each(auto&& f) {
    f("num_weights", &EmbeddingBackwardAttrs::num_weights);
    f("padding_idx", &EmbeddingBackwardAttrs::padding_idx);
    f("scale_grad_by_freq", &EmbeddingBackwardAttrs::scale_grad_by_freq);
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

// Sums the rows of grad_output [..., d] by their indices [...] into [num_weights, d], except those
// with index padding_idx. scale_grad_by_freq divides each row by the number of occurrences of its
// index.
inline Tensor embedding_dense_backward(ops::At grad_output, const Tensor& indices, Size num_weights,
                                       Size padding_idx = -1, bool scale_grad_by_freq = false) {
  return ops::call<ops::EmbeddingDenseBackward>(grad_output.where, {grad_output.operand, indices},
                                                {num_weights, padding_idx, scale_grad_by_freq});
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

}  // namespace vitro
