// The gradients of a transposed convolution are those of one convolution, not of one for each
// phase.
#include <gtest/gtest.h>

#include "vitro/core/generator.h"
#include "vitro/core/interpreter.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

struct CountConvolutions : Interpreter {
  int count = 0;
  void call(const OpCall& call, std::span<Tensor> results) override {
    count += call.op->contraction != nullptr && call.op->contraction->windows != nullptr;
    call_below(call, results);
  }
};

TEST(TransposedConvolution, has_the_gradients_of_one_convolution) {
  init();
  manual_seed(1);
  Tensor x = rand({2, 32, 5, 4}), weight = rand({32, 32, 4, 4});
  x.set_requires_grad(true), weight.set_requires_grad(true);
  CountConvolutions counter;
  const Tensor y = conv_transpose2d(x, weight, {}, {.stride = 2, .padding = 1});
  const Tensor g = rand_like(y);
  {
    const Using counting(&counter);
    y.backward(g);
  }
  EXPECT_EQ(counter.count, 2);  // that of x, and the sums of the weight's
  const auto [of_x, of_weight, of_bias] = convolution_backward(
      g, detach(x), detach(weight), {2, 2}, {1, 1}, {1, 1}, true, {0, 0}, 1, {true, true, false});
  EXPECT_EQ(x.grad().to_vector<float>(), of_x.to_vector<float>());
  EXPECT_EQ(weight.grad().to_vector<float>(), of_weight.to_vector<float>());
}

// No tap reaches the result, which requires a gradient nevertheless.
TEST(TransposedConvolution, of_nothing_has_gradients_of_zeros) {
  init();
  Tensor x = ones({1, 1, 1}), weight = ones({1, 1, 1});
  x.set_requires_grad(true), weight.set_requires_grad(true);
  const Tensor y =
      conv_transpose1d(x, weight, {}, {.stride = 5, .padding = 1, .output_padding = 4});
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{0, 0, 0}));
  sum(y).backward();
  EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>{0});
  EXPECT_EQ(weight.grad().to_vector<float>(), std::vector<float>{0});
}

}  // namespace
}  // namespace vitro
