// Matrix products.  They add along k in ascending order, one fused multiply-add per step, whatever
// computes them.
#pragma once

#include "vitro/ops/define.h"

namespace vitro {
namespace ops {

struct Contraction {
  static constexpr OpKind kind = OpKind::contraction;
  static constexpr int arity = 2;
};
struct Mm : Contraction {
  static constexpr std::string_view name = "mm", doc = "[m, k] x [k, n] -> [m, n].";
  static void shape(ShapeCall& call);
  static constexpr ContractionInfo info{false};
};
struct Bmm : Contraction {
  static constexpr std::string_view name = "bmm", doc = "[b, m, k] x [b, k, n] -> [b, m, n].";
  static void shape(ShapeCall& call);
  static constexpr ContractionInfo info{true};
};

}  // namespace ops

inline Tensor mm(ops::At a, const Tensor& b) {
  return ops::call<ops::Mm>(a.where, {a.operand, b});
}
inline Tensor bmm(ops::At a, const Tensor& b) {
  return ops::call<ops::Bmm>(a.where, {a.operand, b});
}

}  // namespace vitro
