// A copy with the elements replaced that a view of it sees.
//   Tensor y = slice_scatter(x, src, 0, 2, 4);   // y[2:4] = src
#pragma once

#include "vitro/ops/define.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace ops {

struct ScatterOp {
  static constexpr OpKind kind = OpKind::scatter;
  static constexpr int arity = 2;
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

}  // namespace ops

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
