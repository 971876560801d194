// Tensors in functions that are written with ops. Unlike those of vitro/ops/operators.h, these
// operators are not inline, nor is what becomes of temporaries, so a formula is a row of short
// calls: the library has hundreds of formulas.
//   using namespace ops;
//   const Value low = ops::where(x < 0, x, 0);   return low - log1p(exp(-abs(x)));
#pragma once

#include "vitro/ops/define.h"

namespace vitro::ops {

class Value : public Tensor {
 public:
  Value();
  Value(const Tensor& tensor);      // NOLINT(google-explicit-constructor)
  Value(Tensor&& tensor) noexcept;  // NOLINT(google-explicit-constructor)
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
};

#define VITRO_VALUE_1(name) Value name(const Tensor& x);
#define VITRO_VALUE_2(name)                     \
  Value name(const Tensor& a, const Tensor& b); \
  Value name(const Tensor& a, const Scalar& b); \
  Value name(const Scalar& a, const Tensor& b);
VITRO_VALUE_1(operator-)
VITRO_VALUE_1(operator~)
VITRO_VALUE_1(abs)
VITRO_VALUE_1(exp)
VITRO_VALUE_1(log)
VITRO_VALUE_1(log1p)
VITRO_VALUE_1(sqrt)
VITRO_VALUE_1(sin)
VITRO_VALUE_1(erfc)
VITRO_VALUE_1(tanh)
VITRO_VALUE_1(sigmoid)
VITRO_VALUE_1(relu)
VITRO_VALUE_1(isnan)
VITRO_VALUE_1(isinf)
VITRO_VALUE_1(square)
VITRO_VALUE_2(operator+)
VITRO_VALUE_2(operator-)
VITRO_VALUE_2(operator*)
VITRO_VALUE_2(operator/)
VITRO_VALUE_2(operator==)
VITRO_VALUE_2(operator!=)
VITRO_VALUE_2(operator<)
VITRO_VALUE_2(operator<=)
VITRO_VALUE_2(operator>)
VITRO_VALUE_2(operator>=)
VITRO_VALUE_2(operator&)
VITRO_VALUE_2(operator|)
VITRO_VALUE_2(pow)
VITRO_VALUE_2(minimum)
VITRO_VALUE_2(maximum)
VITRO_VALUE_2(floor_divide)
VITRO_VALUE_2(remainder)
#undef VITRO_VALUE_1
#undef VITRO_VALUE_2
Value where(const Tensor& condition, const Tensor& a, const Tensor& b);
Value where(const Tensor& condition, const Scalar& a, const Tensor& b);
Value where(const Tensor& condition, const Tensor& a, const Scalar& b);
Value to(const Tensor& x, DType dtype);
// Over `dims`, which are kept as size 1 if `keepdim`; over all dimensions without them.
Value sum(const Tensor& x);
Value sum(const Tensor& x, const Dims& dims, bool keepdim = false);
Value amax(const Tensor& x, const Dims& dims, bool keepdim);
Value amin(const Tensor& x, const Dims& dims, bool keepdim);
Value mean(const Tensor& x);

}  // namespace vitro::ops
