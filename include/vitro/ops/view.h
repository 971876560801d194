// Views: the same memory under other indices.  A definition gives the shape of the result and
// `map`, the operand's index of each element of the result; strides follow from the map where it is
// affine.
#pragma once

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

using IndexList = SmallVector<sym::Expr, 6>;

struct ViewOp {
  static constexpr OpKind kind = OpKind::view;
  static constexpr int arity = 1;
};

struct PermuteAttrs {
  Dims dims;
  static constexpr void each(auto&& f) { f("dims", &PermuteAttrs::dims); }
};
struct Permute : ViewOp {
  static constexpr std::string_view name = "permute", doc = "Dimensions in another order.";
  using Attrs = PermuteAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static ViewBack back(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs);
  static constexpr ViewInfo info{&map, &back};
};

struct SliceAttrs {
  int64_t dim = 0;
  Size start = 0, end = INT64_MAX;  // negative: from the end; beyond the end: the end
  int64_t step = 1;
  static constexpr void each(auto&& f) {
    f("dim", &SliceAttrs::dim);
    f("start", &SliceAttrs::start);
    f("end", &SliceAttrs::end);
    f("step", &SliceAttrs::step);
  }
};
struct Slice : ViewOp {
  static constexpr std::string_view name = "slice",
                                    doc =
                                        "Every step-th element from start to before end along dim.";
  using Attrs = SliceAttrs;
  static void shape(ShapeCall& call);
  static IndexList map(const TensorMeta& operand, const TensorMeta& result, AttrsView attrs,
                       std::span<const sym::Expr> index);
  static constexpr ViewInfo info{&map};
};

}  // namespace ops

inline Tensor permute(ops::At x, Dims dims) {
  return ops::call<ops::Permute>(x.where, {x.operand}, {dims});
}
inline Tensor slice(ops::At x, int64_t dim = 0, Size start = 0, Size end = INT64_MAX,
                    int64_t step = 1) {
  return ops::call<ops::Slice>(x.where, {x.operand}, {dim, start, end, step});
}

}  // namespace vitro
