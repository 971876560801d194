// Operators and functions of Values: each is one call of an op.
#include "ops/value.h"

#include <array>
#include "ops/wide.h"
#include "vitro/base/error.h"

#include "vitro/ops/activation.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/unary.h"

namespace vitro::ops {

Value::Value() = default;
Value::Value(const Tensor& tensor) : Tensor(tensor) {}
Value::Value(Tensor&& tensor) noexcept : Tensor(std::move(tensor)) {}
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

namespace {

Value called(const OpDef& op, const Operand& a) {
  return call_one(op, {&a, 1}, {}, {});
}
Value called(const OpDef& op, const Operand& a, const Operand& b) {
  return call_one(op, std::array{a, b}, {}, {});
}
Value called(const OpDef& op, const Operand& a, const Operand& b, const Operand& c) {
  return call_one(op, std::array{a, b, c}, {}, {});
}

}  // namespace

#define VITRO_VALUE_1(name, op)  \
  Value name(const Tensor& x) {  \
    return called(def<op>(), x); \
  }
#define VITRO_VALUE_2(name, op)                  \
  Value name(const Tensor& a, const Tensor& b) { \
    return called(def<op>(), a, b);              \
  }                                              \
  Value name(const Tensor& a, const Scalar& b) { \
    return called(def<op>(), a, b);              \
  }                                              \
  Value name(const Scalar& a, const Tensor& b) { \
    return called(def<op>(), a, b);              \
  }
VITRO_VALUE_1(operator-, Neg)
VITRO_VALUE_1(operator~, BitwiseNot)
VITRO_VALUE_1(abs, Abs)
VITRO_VALUE_1(exp, Exp)
VITRO_VALUE_1(log, Log)
VITRO_VALUE_1(log1p, Log1p)
VITRO_VALUE_1(sqrt, Sqrt)
VITRO_VALUE_1(sin, Sin)
VITRO_VALUE_1(erfc, Erfc)
VITRO_VALUE_1(tanh, Tanh)
VITRO_VALUE_1(sigmoid, Sigmoid)
VITRO_VALUE_1(relu, Relu)
VITRO_VALUE_1(isnan, IsNan)
VITRO_VALUE_1(isinf, IsInf)
VITRO_VALUE_2(operator+, Add)
VITRO_VALUE_2(operator-, Sub)
VITRO_VALUE_2(operator*, Mul)
VITRO_VALUE_2(operator/, Div)
VITRO_VALUE_2(operator==, Eq)
VITRO_VALUE_2(operator!=, Ne)
VITRO_VALUE_2(operator<, Lt)
VITRO_VALUE_2(operator<=, Le)
VITRO_VALUE_2(operator>, Gt)
VITRO_VALUE_2(operator>=, Ge)
VITRO_VALUE_2(operator&, BitwiseAnd)
VITRO_VALUE_2(operator|, BitwiseOr)
VITRO_VALUE_2(pow, Pow)
VITRO_VALUE_2(minimum, Minimum)
VITRO_VALUE_2(maximum, Maximum)
VITRO_VALUE_2(floor_divide, FloorDivide)
VITRO_VALUE_2(remainder, Remainder)
#undef VITRO_VALUE_1
#undef VITRO_VALUE_2

Value square(const Tensor& x) {
  return x * x;
}
Value where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return called(def<Where>(), condition, a, b);
}
Value where(const Tensor& condition, const Scalar& a, const Tensor& b) {
  return called(def<Where>(), condition, a, b);
}
Value where(const Tensor& condition, const Tensor& a, const Scalar& b) {
  return called(def<Where>(), condition, a, b);
}
Value to(const Tensor& x, DType dtype) {
  return vitro::to(At(x), dtype);
}
Value sum(const Tensor& x) {
  return vitro::sum(At(x));
}
Value sum(const Tensor& x, const Dims& dims, bool keepdim) {
  return vitro::sum(At(x), dims, keepdim);
}
Value amax(const Tensor& x, const Dims& dims, bool keepdim) {
  return vitro::amax(At(x), dims, keepdim);
}
Value amin(const Tensor& x, const Dims& dims, bool keepdim) {
  return vitro::amin(At(x), dims, keepdim);
}
Value mean(const Tensor& x) {
  return vitro::mean(At(x));
}

void check_floating(std::string_view op, const Tensor& x) {
  VITRO_CHECK(is_floating(x.dtype()), op, ": takes floating-point numbers, got ", x.dtype(),
              "; cast them first");
}
Tensor widened(std::string_view op, const At& x) {
  const Tensor& t = x.operand.tensor();
  check_floating(op, t);
  return vitro::to(x, compute_type(t.dtype()));
}
Tensor widened(const Tensor& x) {
  return x.defined() ? vitro::to(x, compute_type(x.dtype())) : x;
}

}  // namespace vitro::ops
