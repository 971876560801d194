// Bodies of ops evaluated on tensors, compared with the ops themselves.
#include "vitro/ops/tensor_functions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "eager/eager.h"

namespace vitro::eager {
namespace {

// Numbers on both sides of the corners of functions, and at the corners.
Tensor numbers(DType dtype, double first) {
  Tensor t = Tensor::empty({64});
  float* data = t.data<float>();
  for (int i = 0; i < 64; ++i) data[i] = static_cast<float>((i % 16 - 8) * 0.25 * (first + i / 16));
  return to(t, dtype);
}

void expect_same(const Tensor& got, const Tensor& want, std::string_view op) {
  ASSERT_EQ(got.dtype(), want.dtype()) << op;
  const auto a = to(got, DType::f64).to_vector<double>(),
             b = to(want, DType::f64).to_vector<double>();
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
        << op << " at " << i << ": " << a[i] << " and " << b[i];
  }
}

template <class Op>
constexpr bool is_of_numbers =
    !Op::uses_attrs && !Op::uses_index && Op::copied_operand < 0 && !Op::first_is_shape;

struct Check {
  DType dtype;
  int& checked;
  template <class Op>
  void operator()() {
    if constexpr (is_of_numbers<Op>) {
      if (is_floating(dtype)
              ? Op::accepts == ops::Accepts::not_floating
              : Op::accepts == ops::Accepts::floating || Op::promote == Promote::to_float)
        return;
      ++checked;
      const Tensor x = numbers(dtype, 1), y = numbers(dtype, 2) + 3;
      const ops::PointwiseFunction<Op> call;
      if constexpr (Op::arity == 1) {
        expect_same(Op::value(x), call(x), Op::name);
      } else if constexpr (Op::arity == 2) {
        const Tensor divisor = Op::integer_divisor && !is_floating(dtype) ? maximum(y, 1) : y;
        expect_same(Op::value(x, divisor), call(x, divisor), Op::name);
      } else if constexpr (Op::first_is_condition) {
        expect_same(Op::value(x > 0.0, x, y), call(x > 0.0, x, y), Op::name);
      }
    }
  }
};

TEST(TensorFunctions, the_body_of_an_op_runs_on_tensors) {
  init();
  int floating = 0, whole = 0;
  ops::PointwiseOps::each(Check{DType::f32, floating});
  ops::PointwiseOps::each(Check{DType::f64, floating});
  ops::PointwiseOps::each(Check{DType::i64, whole});
  EXPECT_GE(floating, 2 * 50);
  EXPECT_GE(whole, 20);
}

TEST(TensorFunctions, the_gradient_of_an_op_runs_on_tensors) {
  init();
  const Tensor x = numbers(DType::f64, 1), g = numbers(DType::f64, 3);
  expect_same(ops::Relu::vjp(g, x, relu(x)), where(relu(x) <= 0.0, 0.0, g), "relu");
  expect_same(ops::Sin::vjp(g, x, sin(x)), g * cos(x), "sin");
  const auto [a, b] = ops::Mul::vjp(g, x, g, x * g);
  expect_same(a(), g * g, "mul");
  expect_same(b(), g * x, "mul");
}

}  // namespace
}  // namespace vitro::eager
