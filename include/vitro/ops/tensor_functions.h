// The functions of vitro/ops/math.h for tensors. Each calls the op, so that the body of an op, or
// of its gradient, runs on tensors as it does on numbers.
//   Tensor y = ops::Silu::value(x);  // silu(x), but every step is rounded to the dtype of x
// There is no fma: no op rounds a product and a sum once.
#pragma once

#include "vitro/ops/all.h"

namespace vitro::tensor_functions {

// Public functions, for the ops whose name differs from that of the scalar function.
namespace called {
using namespace vitro;
inline constexpr const ops::PointwiseFunction<ops::FloorDivide>& floor_div = vitro::floor_divide;
inline constexpr const ops::PointwiseFunction<ops::TruncDivide>& trunc_div = vitro::trunc_divide;
}  // namespace called

#define VITRO_TENSOR_1(name)            \
  inline Tensor name(const Tensor& x) { \
    return called::name(x);             \
  }
#define VITRO_TENSOR_2(name)                             \
  inline Tensor name(const Tensor& a, const Tensor& b) { \
    return called::name(a, b);                           \
  }
#define VITRO_TENSOR_3(name)
#define VITRO_TENSOR(name, operands, ...) VITRO_TENSOR_##operands(name)
VITRO_SCALAR_FUNCTIONS(VITRO_TENSOR)
#undef VITRO_TENSOR
#undef VITRO_TENSOR_1
#undef VITRO_TENSOR_2
#undef VITRO_TENSOR_3

inline Tensor like(const Tensor& x, const Scalar& number) {
  return scalar_tensor(number, x.dtype(), x.device());
}
inline Tensor like(const Tensor& x, const Tensor& a) {
  return to(a, x.dtype());
}
inline Tensor where(const Tensor& condition, const Operand& a, const Operand& b) {
  return vitro::where(condition, a, b);
}
inline Tensor operator!(const Tensor& x) {
  return logical_not(x);
}
inline Tensor operator&&(const Tensor& a, const Tensor& b) {
  return logical_and(a, b);
}
inline Tensor operator||(const Tensor& a, const Tensor& b) {
  return logical_or(a, b);
}

}  // namespace vitro::tensor_functions
