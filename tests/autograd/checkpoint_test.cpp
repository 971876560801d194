// checkpoint(): the same gradients, from values that are computed again.
#include "vitro/autograd/checkpoint.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/leaves.h"
#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/autograd/function.h"
#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/memory.h"

namespace vitro {
namespace {

using namespace test;
using test::Numbers;

// Counts its calls; w is a leaf that it refers to.
struct Block {
  Tensor w;
  int* calls;
  Tensor operator()(const Tensor& x) const {
    ++*calls;
    const Tensor y = exp(x * w);
    return y * sin(y) + dropout(y, 0.5, true);
  }
};

TEST(CheckpointOfCalls, computes_again_what_the_gradient_needs) {
  for (const bool twice : {false, true}) {
    Tensor x = leaf({0.1, 0.2, 0.3}), w = leaf({1, 2, 3});
    int calls = 0;
    const Block block{w, &calls};
    const auto gradients = [&](bool again) {
      manual_seed(7);
      const Tensor y = again ? checkpoint(block, x) : block(x);
      const Tensor z = rand({3}, DType::f64);  // draws on
      const Tensor loss = sum(square(y) * z);
      if (!twice) return grad(loss, {x, w});
      const std::vector<Tensor> first = grad(loss, {x, w}, {.create_graph = true});
      return grad(sum(first[0] * first[1]), {x, w});
    };
    const std::vector<Tensor> want = gradients(false);
    EXPECT_EQ(calls, 1);
    const std::vector<Tensor> got = gradients(true);
    EXPECT_EQ(calls, 3);
    for (size_t i = 0; i < want.size(); ++i) {
      const Numbers right = numbers(want[i]), have = numbers(got[i]);
      for (size_t k = 0; k < right.size(); ++k) EXPECT_NEAR(have[k], right[k], 1e-12 * 300);
    }
    const Tensor after = rand({3}, DType::f64);
    (void)gradients(false);
    EXPECT_EQ(numbers(rand({3}, DType::f64)), numbers(after));
  }
}

TEST(CheckpointOfCalls, does_not_keep_what_it_computes_again) {
  constexpr int64_t size = 1 << 16, bytes = 8 * size;
  Tensor x = rand({size}, DType::f64).set_requires_grad(true);
  const auto deep = [](Tensor t) {
    for (int i = 0; i < 10; ++i) t = sin(t);
    return t;
  };
  const int64_t before = memory_stats().live_bytes;
  Tensor y = deep(x);
  EXPECT_GE(memory_stats().live_bytes - before, 9 * bytes);
  y = {};
  y = checkpoint(deep, x);
  EXPECT_LT(memory_stats().live_bytes - before, 2 * bytes);
  sum(y).backward();
  y = {};
  EXPECT_LT(memory_stats().live_bytes - before, 2 * bytes);  // the gradient
}

TEST(CheckpointOfCalls, may_be_nested_and_gone_through_again) {
  Tensor x = leaf({0.1, 0.2}), plain = leaf({0.1, 0.2});
  const auto inner = [](const Tensor& t) { return exp(sin(t)); };
  const auto outer = [&](const Tensor& t) { return checkpoint(inner, t * t) * t; };
  const Tensor y = sum(checkpoint(outer, x));
  backward(y, {}, {.retain_graph = true});
  y.backward();
  for (int pass = 0; pass < 2; ++pass) sum(inner(plain * plain) * plain).backward();
  EXPECT_EQ(numbers(x.grad()), numbers(plain.grad()));
  EXPECT_NE(error_of([&] { y.backward(); }).find("released by an earlier backward"),
            std::string::npos);
}

TEST(CheckpointOfCalls, is_right_in_and_around_compiled_functions) {
  const auto block = [](const Tensor& t) { return exp(sin(t)) * t; };
  auto whole = compile([&](const Tensor& x) { return grad(sum(checkpoint(block, x)), {x})[0]; });
  auto forward = compile([&](const Tensor& x) { return sum(checkpoint(block, x * 2.0)); });
  for (const Numbers& values : {Numbers{0.1, 0.2}, Numbers{0.5, 0.6, 0.7}}) {
    Tensor x = leaf(values), y = leaf(values), z = leaf(values);
    EXPECT_EQ(numbers(whole(x)), numbers(grad(sum(block(x)), {x})[0]));
    forward(y).backward();
    sum(block(z * 2.0)).backward();
    EXPECT_EQ(numbers(y.grad()), numbers(z.grad()));
  }
}

TEST(CheckpointOfCalls, a_function_that_computes_something_else_is_an_error) {
  Tensor x = leaf({1, 2});
  int calls = 0;
  const Tensor y =
      sum(checkpoint([&](const Tensor& t) { return ++calls == 1 ? exp(t) : exp(sin(t)); }, x));
  EXPECT_NE(error_of([&] { y.backward(); })
                .find("the function of a checkpoint saved 1 values for its gradient, and 2 when it "
                      "was called again"),
            std::string::npos);
}

// What a function with its own backward pass saves is computed again, too.
TEST(CheckpointOfCalls, of_a_function_that_saves) {
  struct Square : Function<Square> {
    static Tensor forward(FunctionContext& context, const Tensor& x) {
      context.save_for_backward({x});
      return x * x;
    }
    static std::vector<Tensor> backward(FunctionContext& context, std::span<const Tensor> g) {
      return {g[0] * 2.0 * context.saved_tensors()[0]};
    }
  };
  int calls = 0;
  const auto block = [&](const Tensor& t) {
    ++calls;
    return Square::apply(exp(t));
  };
  Tensor x = leaf({0, 1});
  sum(checkpoint(block, x)).backward();
  EXPECT_EQ(calls, 2);
  expect_near(x.grad(), {2, 2 * std::exp(2)});
}

// torch 2.13: "one of the variables needed for gradient computation has been modified".
TEST(CheckpointOfCalls, does_not_compute_again_from_an_argument_that_was_written) {
  const auto cube = [](const Tensor& t) { return t * t * t; };
  const auto doubles = [](Tensor t) { return exp(mul_(t, 2.0)); };
  const auto written_after = [&](const Tensor& x) {
    const Tensor y = x * 1.0, z = checkpoint(cube, y);
    (void)add_(y, 1.0);
    return grad(sum(z), {x})[0];
  };
  const auto written_by_it = [&](const Tensor& x) {
    return grad(sum(checkpoint(doubles, x * 1.0)), {x})[0];
  };
  const std::string want =
      "a checkpoint computes again from argument 0, which was written since its call; "
      "clone it before that";
  const Tensor x = leaf({1, 2});
  EXPECT_NE(error_of([&] { return written_after(x); }).find(want), std::string::npos);
  EXPECT_NE(error_of([&] { return written_by_it(x); }).find(want), std::string::npos);
  EXPECT_NE(error_of([&] { return compile(written_after)(x); }).find(want), std::string::npos);
  EXPECT_NE(error_of([&] { return compile(written_by_it)(x); }).find(want), std::string::npos);
  const Tensor y = x * 1.0, z = compile([&](const Tensor& t) { return checkpoint(cube, t); })(y);
  (void)add_(y, 1.0);
  EXPECT_NE(error_of([&] { sum(z).backward(); }).find("clone it before that"), std::string::npos);
  // Elements of the result may be written: it does not depend on them.
  const Tensor result = checkpoint([](const Tensor& t) { return t * 3.0; }, x);
  (void)mul_(result, 2.0);
  EXPECT_EQ(numbers(grad(sum(result), {x})[0]), (Numbers{6, 6}));
}

}  // namespace
}  // namespace vitro
