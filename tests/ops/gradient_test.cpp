// Gradients of pointwise ops, compared with finite differences of their bodies.
#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "ops/real.h"
#include "vitro/ops/all.h"

namespace vitro::test {
namespace {

// The value of a gradient that `vjp` returns: a number, or a function that computes one.
double number_of(const Real& gradient) {
  return gradient.v;
}
template <class F>
  requires std::is_invocable_v<F>
double number_of(const F& gradient) {
  return Real(gradient()).v;
}

// Points in the op's domain, away from corners.
std::vector<double> points(std::string_view op) {
  if (op == "acosh") return {1.3, 2.7};
  if (op == "log" || op.starts_with("log") || op.ends_with("sqrt")) return {0.4, 2.7};
  return {-0.73, 0.4, 0.81};
}

template <class F>
double slope(F f, double x) {
  const double h = 1e-5;
  return (f(x + h) - f(x - h)) / (2 * h);
}

void near(double got, double want, std::string_view op) {
  EXPECT_NEAR(got, want, 1e-7 * std::max(1.0, std::abs(want))) << op;
}

struct Check {
  int& checked;
  template <class Op>
  void operator()() {
    if constexpr (!ops::HasVjp<Op> || Op::uses_attrs || Op::first_is_shape) {
      return;
    } else if constexpr (Op::arity == 1) {
      ++checked;
      const auto f = [](double x) { return Real(Op::value(Real(x))).v; };
      for (const double x : points(Op::name))
        near(number_of(Op::vjp(Real(1.7), Real(x), Real(f(x)))), 1.7 * slope(f, x), Op::name);
    } else if constexpr (Op::arity == 2) {
      ++checked;
      const auto f = [](double a, double b) { return Real(Op::value(Real(a), Real(b))).v; };
      const double a = 3.6, b = 1.4;
      const auto all = Op::vjp(Real(1.7), Real(a), Real(b), Real(f(a, b)));
      near(number_of(std::get<0>(all)), 1.7 * slope([&](double x) { return f(x, b); }, a),
           Op::name);
      if constexpr (std::tuple_size_v<decltype(all)> == 2)
        near(number_of(std::get<1>(all)), 1.7 * slope([&](double x) { return f(a, x); }, b),
             Op::name);
    }
  }
};

TEST(Gradient, agrees_with_finite_differences) {
  int checked = 0;
  ops::PointwiseOps::each(Check{checked});
  EXPECT_GE(checked, 45);
}

// PyTorch's values at points where a function is not differentiable.
TEST(Gradient, of_corners_is_as_pytorch_chooses_it) {
  const auto unary = [](auto op, double x) {
    using Op = decltype(op);
    return number_of(Op::vjp(Real(2), Real(x), Op::value(Real(x))));
  };
  EXPECT_EQ(unary(ops::Abs(), 0), 0);
  EXPECT_EQ(unary(ops::Abs(), -3), -2);
  EXPECT_EQ(unary(ops::Relu(), 0), 0);
  EXPECT_EQ(unary(ops::Sign(), 0), 0);
  EXPECT_EQ(unary(ops::Floor(), 2), 0);
  const auto pair = [](auto op, double a, double b) {
    const auto [da, db] = decltype(op)::vjp(Real(2), Real(a), Real(b), Real(0));
    return std::pair(number_of(da), number_of(db));
  };
  EXPECT_EQ(pair(ops::Maximum(), 1, 1), std::pair(1.0, 1.0));
  EXPECT_EQ(pair(ops::Maximum(), 1, 2), std::pair(0.0, 2.0));
  EXPECT_EQ(pair(ops::Minimum(), 1, 1), std::pair(1.0, 1.0));
  EXPECT_EQ(pair(ops::Minimum(), 1, 2), std::pair(2.0, 0.0));
}

TEST(Gradient, every_op_has_one_or_says_why_not) {
  for (const OpDef* op : ops::all()) {
    ASSERT_TRUE(op->gradient)
        << op->name << ": give it `vjp`, `gradient` or `not_differentiable` (ops/define.h)";
    if (op->kind == OpKind::composite) continue;  // differentiated through its ops
    EXPECT_TRUE(op->gradient->formula || !op->gradient->none_because.empty()) << op->name;
  }
}

}  // namespace
}  // namespace vitro::test
