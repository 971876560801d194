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
  using Attrs = SliceAttrs;
  static void shape(ShapeCall& call);
  static constexpr ScatterInfo info{&Slice::info, &same_attrs};
};
struct SelectScatter : ScatterOp {
  static constexpr std::string_view name = "select_scatter",
                                    doc = "x with `src` at one index of dim.";
  using Attrs = SelectAttrs;
  static void shape(ShapeCall& call);
  static constexpr ScatterInfo info{&Select::info, &same_attrs};
};

}  // namespace ops

inline Tensor slice_scatter(ops::At x, const Tensor& src, int64_t dim = 0, Size start = 0,
                            Size end = INT64_MAX, int64_t step = 1) {
  return ops::call<ops::SliceScatter>(x.where, {x.operand, src}, {dim, start, end, step});
}
inline Tensor select_scatter(ops::At x, const Tensor& src, int64_t dim, Size index) {
  return ops::call<ops::SelectScatter>(x.where, {x.operand, src}, {dim, index});
}

}  // namespace vitro
