// The gradients of the weights of convolutions: one product over the positions of all windows,
// which nothing unfolds, except where groups are too narrow for it; and their own gradients.
#include <gtest/gtest.h>

#include "autograd/leaves.h"
#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/core/generator.h"
#include "vitro/core/interpreter.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro::test {
namespace {

class ConvolutionWeights : public testing::Test {
 protected:
  static void SetUpTestSuite() { init(); }
};

struct CountOps : Interpreter {
  int over_positions = 0, batched = 0;
  void call(const OpCall& call, std::span<Tensor> results) override {
    over_positions += call.op->name == "convolve_weights";
    batched += call.op->name == "bmm";
    call_below(call, results);
  }
};

struct Shape {
  Sizes x, weight;
  int64_t stride = 1, padding = 0, dilation = 1, groups = 1;
  ops::ConvAttrs attrs() const {
    return {.stride = stride, .padding = padding, .dilation = dilation, .groups = groups};
  }
};

// The gradient by windows that are unfolded in memory.
Tensor unfolded(const Tensor& x, const Tensor& g, const Shape& s) {
  const int64_t taps = (s.weight[1] * s.weight[2] * s.weight[3]).value(),
                batches = x.size(0).value() * s.groups, of_group = s.weight[0].value() / s.groups,
                kernel = s.weight[2].value();
  const Tensor windows = im2col(x, {kernel, kernel}, s.dilation, s.padding, s.stride);
  const Tensor terms = reshape(windows, {batches, taps, windows.size(2)});
  const Tensor each = bmm(reshape(g, {batches, of_group, windows.size(2)}), transpose(terms, 1, 2));
  return reshape(sum(reshape(each, {x.size(0), s.weight[0] * taps}), {0}), s.weight);
}

const std::vector<Shape> wide{
    {{2, 8, 9, 7}, {24, 8, 3, 3}, 1, 1},        {{2, 8, 9, 7}, {24, 8, 3, 3}, 2, 1},
    {{3, 3, 12, 11}, {8, 3, 5, 5}, 2, 2},       {{3, 1, 12, 11}, {16, 1, 3, 3}},
    {{3, 20, 12, 11}, {1, 20, 3, 3}},           {{2, 33, 6, 6}, {17, 33, 1, 1}},
    {{2, 16, 9, 9}, {20, 16, 1, 1}, 2},         {{2, 16, 9, 11}, {20, 16, 3, 3}, 2, 2, 2},
    {{2, 16, 9, 9}, {32, 8, 3, 3}, 1, 1, 1, 2}, {{1, 64, 5, 5}, {64, 16, 2, 2}, 3, 0, 1, 4},
};
const std::vector<Shape> depthwise{
    {{2, 16, 9, 9}, {16, 1, 3, 3}, 1, 1, 1, 16},
    {{2, 37, 9, 8}, {37, 1, 5, 5}, 2, 2, 1, 37},
    {{3, 3, 12, 11}, {3, 1, 3, 3}, 1, 2, 2, 3},
    {{1, 20, 8, 8}, {20, 1, 8, 8}, 1, 0, 1, 20},
};
const std::vector<Shape> narrow{
    {{3, 1, 12, 11}, {6, 1, 3, 3}},
    {{2, 8, 9, 9}, {8, 1, 9, 9}, 1, 4, 1, 8},
    {{2, 8, 9, 9}, {32, 1, 3, 3}, 2, 1, 1, 8},
    {{2, 32, 6, 6}, {32, 8, 3, 3}, 1, 1, 1, 4},
};

void expect_unfolded(const Shape& s, DType dtype, int over_positions) {
  Tensor x = to(rand(s.x, DType::f64), dtype), weight = to(rand(s.weight, DType::f64), dtype);
  weight.set_requires_grad(true);
  const Tensor y = conv2d(x, weight, {}, s.attrs()), g = rand_like(y);
  CountOps counter;
  {
    const Using counting(&counter);
    y.backward(g);
  }
  EXPECT_EQ(counter.over_positions, over_positions) << cat(s.x, s.weight);
  EXPECT_EQ(counter.batched, 1 - over_positions) << cat(s.x, s.weight);
  const Tensor want = unfolded(to(x, DType::f64), to(g, DType::f64), s);
  const double most = amax(abs(want)).item<double>(), tolerance = dtype == DType::f64   ? 1e-14
                                                                  : dtype == DType::f32 ? 1e-5
                                                                                        : 1e-2;
  EXPECT_LE(amax(abs(to(weight.grad(), DType::f64) - want)).item<double>(), tolerance * most)
      << cat(s.x, s.weight, dtype);
}

TEST_F(ConvolutionWeights, have_gradients_of_one_product_where_a_group_fills_its_columns) {
  manual_seed(1);
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Shape& s : wide) expect_unfolded(s, dtype, 1);
  }
}

TEST_F(ConvolutionWeights, of_single_channels_are_sums_over_positions) {
  manual_seed(1);
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Shape& s : depthwise) expect_unfolded(s, dtype, 1);
  }
}

TEST_F(ConvolutionWeights, of_narrow_groups_have_gradients_of_unfolded_windows) {
  manual_seed(1);
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Shape& s : narrow) expect_unfolded(s, dtype, 0);
  }
}

TEST_F(ConvolutionWeights, have_gradients_where_there_are_no_images) {
  Tensor x = zeros({0, 4, 5, 5}), weight = ones({6, 4, 3, 3});
  x.set_requires_grad(true), weight.set_requires_grad(true);
  sum(conv2d(x, weight)).backward();
  EXPECT_EQ(cat(x.grad().sizes()), "[0, 4, 5, 5]");
  EXPECT_EQ(weight.grad().to_vector<float>(), std::vector<float>(6 * 4 * 3 * 3, 0.0F));
}

// The sum of `v` times the gradient of the weights is that of g times the convolution by v.
TEST_F(ConvolutionWeights, have_gradients_of_their_own_which_are_convolutions) {
  manual_seed(1);
  for (const Shape& s : wide) {
    const auto random = [](const Sizes& sizes) { return rand(sizes, DType::f64); };
    const Tensor v = random(s.weight);
    Tensor x = random(s.x);
    ops::ConvolveAttrs attrs{{s.stride, s.stride},
                             {s.padding, s.padding},
                             {s.padding, s.padding},
                             {s.dilation, s.dilation},
                             s.groups};
    x.set_requires_grad(true);
    Tensor g = rand_like(convolve(x, v, attrs));
    g.set_requires_grad(true);
    const Tensor of_weights = sum(v * convolve_weights(x, g, {attrs, {s.weight[2], s.weight[3]}}));
    const Tensor of_result = sum(g * convolve(x, v, attrs));
    expect_near(of_weights, numbers(of_result));
    const std::vector<Tensor> got = grad({of_weights}, {x, g}), want = grad({of_result}, {x, g});
    for (size_t i = 0; i < 2; ++i) expect_near(got[i], numbers(want[i]));
  }
}

TEST_F(ConvolutionWeights, name_sizes_that_do_not_fit) {
  const ops::ConvolveAttrs attrs{{1, 1}, {0, 0}, {0, 0}, {1, 1}, 1};
  const auto error = [&](const Sizes& x, const Sizes& g, const Sizes& taps) {
    return error_of([&] { (void)convolve_weights(ones(x), ones(g), {attrs, taps}); });
  };
  EXPECT_EQ(error({1, 2, 5, 5}, {1, 3, 4, 4}, {3, 3}),
            "convolve_weights: grad_output needs sizes [1, 3, 3, 3], got [1, 3, 4, 4]");
  EXPECT_EQ(error({2, 5, 5}, {3, 3, 3}, {3, 3}),
            "convolve_weights: needs input and grad_output with two more dimensions than taps, "
            "which are one to three, got sizes [2, 5, 5], [3, 3, 3] and [3, 3]");
  EXPECT_EQ(error_of([&] {
              (void)convolve_weights(ones({1, 2, 5, 5}), ones({1, 3, 3, 3}, DType::f64),
                                     {attrs, {3, 3}});
            }),
            "convolve_weights: takes floating-point numbers of one dtype, got f32 and f64");
}

}  // namespace
}  // namespace vitro::test
