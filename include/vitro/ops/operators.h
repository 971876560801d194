// Operators on tensors: arithmetic, comparisons (a bool tensor), bits. Either operand may be a
// number.
#pragma once

#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/unary.h"

namespace vitro {

inline Tensor operator-(ops::At x) {
  return ops::call<ops::Neg>(x.where, {x.operand});
}
inline Tensor operator~(ops::At x) {
  return ops::call<ops::BitwiseNot>(x.where, {x.operand});
}

#define VITRO_OPERATOR(sign, op)                             \
  inline Tensor operator sign(ops::At a, const Operand& b) { \
    return ops::call<ops::op>(a.where, {a.operand, b});      \
  }                                                          \
  inline Tensor operator sign(const Scalar& a, ops::At b) {  \
    return ops::call<ops::op>(b.where, {a, b.operand});      \
  }
VITRO_OPERATOR(+, Add)
VITRO_OPERATOR(-, Sub)
VITRO_OPERATOR(*, Mul)
VITRO_OPERATOR(/, Div)
VITRO_OPERATOR(&, BitwiseAnd)
VITRO_OPERATOR(|, BitwiseOr)
VITRO_OPERATOR(^, BitwiseXor)
VITRO_OPERATOR(==, Eq)
VITRO_OPERATOR(!=, Ne)
VITRO_OPERATOR(<, Lt)
VITRO_OPERATOR(<=, Le)
VITRO_OPERATOR(>, Gt)
VITRO_OPERATOR(>=, Ge)
#undef VITRO_OPERATOR

// In place.
#define VITRO_OPERATOR(sign, op)                                       \
  inline const Tensor& operator sign(const Tensor & a, ops::First b) { \
    return ops::InPlace<ops::op>()(a, b.operand, b.where);             \
  }
VITRO_OPERATOR(+=, Add)
VITRO_OPERATOR(-=, Sub)
VITRO_OPERATOR(*=, Mul)
VITRO_OPERATOR(/=, Div)
#undef VITRO_OPERATOR

}  // namespace vitro
