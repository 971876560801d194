// The scope of an InferenceMode, and what tensors made in it may not do outside.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "error_of.h"
#include "leaves.h"
#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

using test::constant;
using test::leaf;
using test::numbers;
using test::Numbers;

void expect_error(const std::string& error, const char* part) {
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

Tensor made_in_inference(const Numbers& values) {
  const InferenceMode on;
  return constant(values) * 1.0;
}

TEST(InferenceMode, records_nothing_and_marks_what_it_allocates) {
  const Tensor x = leaf({1, 2}), before = constant({3, 4});
  EXPECT_FALSE(InferenceMode::is_enabled());
  {
    const InferenceMode on;
    EXPECT_TRUE(InferenceMode::is_enabled());
    const Tensor y = x * 2.0, part = slice(before, 0, 0, 1);
    EXPECT_FALSE(y.requires_grad());
    EXPECT_TRUE(y.is_inference());
    EXPECT_TRUE(slice(y, 0, 0, 1).is_inference()) << "a view of one is one";
    EXPECT_FALSE(part.is_inference()) << "a view of an ordinary tensor is ordinary";
    EXPECT_FALSE(x.is_inference());
    {
      const InferenceMode off(false);
      EXPECT_FALSE(InferenceMode::is_enabled());
      EXPECT_TRUE((x * 2.0).requires_grad());
      EXPECT_FALSE((x * 2.0).is_inference());
    }
    EXPECT_FALSE((x * 2.0).requires_grad());
  }
  EXPECT_TRUE((x * 2.0).requires_grad());
}

TEST(InferenceMode, writes_are_those_of_ordinary_tensors_in_the_scope) {
  Tensor x = leaf({1, 2}), ordinary = constant({3, 4});
  const Tensor y = made_in_inference({5, 6});
  const InferenceMode on;
  (void)add_(y, 1.0);
  (void)add_(ordinary, y);
  (void)mul_(x, 2.0);
  EXPECT_EQ(numbers(y), (Numbers{6, 7}));
  EXPECT_EQ(numbers(ordinary), (Numbers{9, 11}));
  EXPECT_EQ(numbers(x), (Numbers{2, 4}));
}

TEST(InferenceMode, what_it_made_is_not_written_outside) {
  const Tensor x = leaf({1, 2}), y = made_in_inference({5, 6});
  expect_error(error_of([&] { (void)add_(y, 1.0); }), "made in the scope of an InferenceMode");
  const NoGrad off;
  expect_error(error_of([&] { (void)add_(slice(y, 0, 0, 1), 1.0); }),
               "add_: writes to a tensor that was made in the scope of an InferenceMode");
  EXPECT_EQ(numbers(y), (Numbers{5, 6}));
  const Tensor copy = clone(y);
  EXPECT_FALSE(copy.is_inference());
  EXPECT_EQ(numbers(add_(copy, 1.0)), (Numbers{6, 7}));
}

TEST(InferenceMode, what_it_made_is_not_saved_for_a_gradient) {
  const Tensor x = leaf({1, 2}), y = made_in_inference({5, 6});
  expect_error(error_of([&] { (void)(x * y); }), "mul: its gradient needs operand 1");
  backward(sum(x + y));  // which saves nothing of y
  EXPECT_EQ(numbers(x.grad()), (Numbers{1, 1}));
  backward(sum(x * clone(y)));
  EXPECT_EQ(numbers(x.grad()), (Numbers{6, 7}));
}

TEST(InferenceMode, what_it_made_is_a_leaf_only_in_the_scope) {
  Tensor y = made_in_inference({5, 6});
  expect_error(error_of([&] { y.set_requires_grad(true); }), "requires_grad: this tensor was made");
  {
    const InferenceMode on;
    y.set_requires_grad(true);
    EXPECT_FALSE((y * 2.0).requires_grad());
  }
  EXPECT_TRUE(y.requires_grad());
}

TEST(InferenceMode, compiled_functions_are_called_and_enter_it) {
  const Tensor x = leaf({1, 2});
  const auto twice = compile([](const Tensor& t) { return t * 2.0; });
  for (int i = 0; i < 3; ++i) {
    std::optional<InferenceMode> on;
    if (i != 1) on.emplace();
    const Tensor y = twice(x);
    EXPECT_EQ(y.requires_grad(), i == 1);
    EXPECT_EQ(y.is_inference(), i != 1);
    EXPECT_EQ(numbers(y), (Numbers{2, 4}));
  }
  const auto partly = compile([](const Tensor& t) {
    const Tensor weight = [&] {
      const InferenceMode on;
      return exp(t);
    }();
    return t * clone(weight);
  });
  for (int i = 0; i < 3; ++i) {
    const Tensor one = leaf({0, 0});
    backward(sum(partly(one)));
    EXPECT_EQ(numbers(one.grad()), (Numbers{1, 1}));
  }
}

}  // namespace
}  // namespace vitro
