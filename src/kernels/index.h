// Arithmetic of index expressions, with the semantics of sym::Expr.
#pragma once
#include "kernels/vector.h"

namespace vitro::kernels::inline VITRO_ISA {

[[maybe_unused]] VITRO_INLINE i64 floordiv(i64 a, i64 b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
[[maybe_unused]] VITRO_INLINE i64 mod(i64 a, i64 b) {
  return a - floordiv(a, b) * b;
}
[[maybe_unused]] VITRO_INLINE i64 min(i64 a, i64 b) {
  return a < b ? a : b;
}
[[maybe_unused]] VITRO_INLINE i64 max(i64 a, i64 b) {
  return a > b ? a : b;
}

}  // namespace vitro::kernels::inline VITRO_ISA
