// torch.nn.init: moments, bounds, and what the names say; values are torch's if its generator is
// chosen.
#include "vitro/nn/init.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/core/generator.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/rearrange.h"

namespace vitro::nn {
namespace {

class Initializers : public testing::Test {
 protected:
  static void SetUpTestSuite() { vitro::init(); }
};

struct Moments {
  double mean, deviation, least, most;
};
Moments moments_of(const Tensor& t) {
  const Tensor x = to(t, DType::f64);
  return {mean(x).item<double>(), std::sqrt(var(x, {}, 0).item<double>()), amin(x).item<double>(),
          amax(x).item<double>()};
}
void expect_uniform(const Tensor& t, double bound) {
  const Moments m = moments_of(t);
  EXPECT_NEAR(m.mean, 0, 0.02 * bound);
  EXPECT_NEAR(m.deviation, bound / std::sqrt(3.0), 0.02 * bound);
  EXPECT_GE(m.least, -bound);
  EXPECT_LE(m.most, bound);
}
void expect_normal(const Tensor& t, double deviation) {
  const Moments m = moments_of(t);
  EXPECT_NEAR(m.mean, 0, 0.02 * deviation);
  EXPECT_NEAR(m.deviation, deviation, 0.02 * deviation);
  EXPECT_GT(m.most, 3 * deviation);
}
std::vector<float> numbers(const Tensor& t) {
  return contiguous(detach(t)).to_vector<float>();
}

TEST_F(Initializers, give_the_same_values_for_the_same_seed_and_record_nothing) {
  Tensor weight = zeros({3, 4});
  weight.set_requires_grad(true);
  for (const auto f : {+[](const Tensor& t) { return &init::xavier_normal_(t); },
                       +[](const Tensor& t) { return &init::kaiming_uniform_(t); },
                       +[](const Tensor& t) { return &init::orthogonal_(t); },
                       +[](const Tensor& t) { return &init::trunc_normal_(t); },
                       +[](const Tensor& t) { return &init::sparse_(t, 0.3); }}) {
    manual_seed(5);
    EXPECT_EQ(f(weight), &weight);
    const std::vector<float> first = numbers(weight);
    EXPECT_NE(numbers(*f(weight)), first);
    manual_seed(5);
    EXPECT_EQ(numbers(*f(weight)), first);
    EXPECT_TRUE(weight.is_leaf() && weight.requires_grad());
  }
}

// torch.manual_seed(3), then xavier_uniform_ and kaiming_normal_ of torch.empty(2, 3).
TEST_F(Initializers, have_the_numbers_of_torch_if_asked) {
  manual_seed(3, Generator::mt19937);
  const Tensor a = init::xavier_uniform_(zeros({2, 3})), b = init::kaiming_normal_(zeros({2, 3}));
  manual_seed(0);
  const auto expect = [](const Tensor& got, const std::vector<float>& want) {
    const std::vector<float> x = numbers(got);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(x[i], want[i], 3e-7) << i;
  };
  expect(a, {-1.086104274F, -0.864154279F, -0.469195634F, -1.036390066F, -0.062189821F,
             -0.963736951F});
  expect(b,
         {0.622600198F, 1.220537901F, -0.422565639F, -0.341823459F, -0.760068953F, 0.337934256F});
}

TEST_F(Initializers, have_the_deviation_that_the_sizes_ask_for) {
  manual_seed(1);
  // fan in 100 * 9, fan out 60 * 9
  const Tensor kernel = zeros({60, 100, 3, 3});
  expect_uniform(init::uniform_(kernel, -2, 2), 2);
  expect_normal(init::normal_(kernel, 0, 0.5), 0.5);
  expect_uniform(init::xavier_uniform_(kernel, 2), 2 * std::sqrt(6.0 / 1440));
  expect_normal(init::xavier_normal_(kernel), std::sqrt(2.0 / 1440));
  expect_uniform(init::kaiming_uniform_(kernel, std::sqrt(5.0)), 1 / std::sqrt(900.0));
  expect_normal(init::kaiming_normal_(kernel, 0, "fan_out", "relu"), std::sqrt(2.0 / 540));
}

TEST_F(Initializers, of_truncated_normal_numbers_stay_within_bounds) {
  manual_seed(1);
  const Tensor t = zeros({100000});
  Moments m = moments_of(init::trunc_normal_(t, 0, 1, -2, 2));
  EXPECT_NEAR(m.mean, 0, 0.01);
  EXPECT_NEAR(m.deviation, 0.87963, 0.01);  // of this distribution
  EXPECT_TRUE(m.least >= -2 && m.most <= 2 && m.most > 1.99);
  m = moments_of(init::trunc_normal_(t, 1, 0.5, 2, 3));  // far from the mean
  EXPECT_NEAR(m.mean, 2.18532, 0.01);
  EXPECT_TRUE(m.least >= 2 && m.most <= 3);
}

TEST_F(Initializers, of_identities_keep_what_passes_through) {
  const Tensor x = rand({2, 4, 5, 5});
  EXPECT_EQ(numbers(init::eye_(full({2, 3}, 7.0))), (std::vector<float>{1, 0, 0, 0, 1, 0}));
  const Tensor kernel = init::dirac_(full({4, 4, 3, 3}, 7.0));
  EXPECT_TRUE(equal(conv2d(x, kernel, {}, {.padding = 1}), x));
  const Tensor grouped = init::dirac_(full({4, 2, 3, 3}, 7.0), 2);
  EXPECT_TRUE(equal(conv2d(x, grouped, {}, {.padding = 1, .groups = 2}), x));
  EXPECT_EQ(numbers(init::ones_(zeros({2}))), (std::vector<float>{1, 1}));
  EXPECT_EQ(numbers(init::zeros_(ones({2}))), (std::vector<float>{0, 0}));
  EXPECT_EQ(numbers(init::constant_(zeros({2}), 3)), (std::vector<float>{3, 3}));
}

TEST_F(Initializers, of_orthogonal_matrices_make_them) {
  manual_seed(1);
  for (const auto& sizes : {Sizes{3, 5}, Sizes{5, 3}, Sizes{4, 2, 3}}) {
    const Tensor made = init::orthogonal_(zeros(sizes), 2);
    const Tensor w = reshape(made, {sizes[0], -1});
    const bool is_wide = w.size(0).value() <= w.size(1).value();
    const Tensor products = is_wide ? matmul(w, t(w)) : matmul(t(w), w);
    const Tensor wanted = eye(products.size(0)) * 4.0;
    EXPECT_LT(amax(abs(products - wanted)).item<float>(), 1e-5);
  }
}

TEST_F(Initializers, of_sparse_matrices_set_a_share_of_each_column_to_0) {
  manual_seed(1);
  const Tensor t = init::sparse_(zeros({10, 30}), 0.25, 1);
  EXPECT_EQ(numbers(sum(to(t == 0.0, DType::f32), 0)), std::vector<float>(30, 3));
  EXPECT_NEAR(std::sqrt(mean(t * t).item<float>()), std::sqrt(0.7), 0.1);
}

TEST_F(Initializers, know_gains_and_refuse_what_they_cannot_do) {
  EXPECT_EQ(init::calculate_gain("conv2d"), 1);
  EXPECT_EQ(init::calculate_gain("tanh"), 5.0 / 3);
  EXPECT_EQ(init::calculate_gain("selu"), 0.75);
  EXPECT_DOUBLE_EQ(init::calculate_gain("relu"), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(init::calculate_gain("leaky_relu"), std::sqrt(2 / 1.0001));
  EXPECT_DOUBLE_EQ(init::calculate_gain("leaky_relu", 0.5), std::sqrt(2 / 1.25));
  EXPECT_EQ(error_of([] { return init::calculate_gain("gelu"); }),
            "calculate_gain: needs linear, conv1d to conv3d, conv_transpose1d to conv_transpose3d, "
            "sigmoid, tanh, relu, leaky_relu or selu, got \"gelu\"");
  const Tensor row = zeros({3});
  EXPECT_EQ(error_of([&] { return init::xavier_uniform_(row); }),
            "xavier_uniform_: needs a tensor of rank 2 or more, got sizes [3]");
  EXPECT_EQ(error_of([&] { return init::kaiming_normal_(zeros({2, 2}), 0, "fan"); }),
            "kaiming_normal_: mode must be \"fan_in\" or \"fan_out\", got \"fan\"");
  EXPECT_EQ(error_of([&] { return init::eye_(row); }), "eye_: needs a matrix, got sizes [3]");
  EXPECT_EQ(error_of([&] { return init::dirac_(zeros({3, 2, 1}), 2); }),
            "dirac_: 3 channels are not a multiple of 2 groups");
  EXPECT_EQ(error_of([&] { return init::orthogonal_(row); }),
            "orthogonal_: needs a tensor of rank 2 or more, got sizes [3]");
  EXPECT_EQ(error_of([&] { return init::sparse_(zeros({2, 2}), 2); }),
            "sparse_: needs a sparsity in [0, 1], got 2.0");
  EXPECT_EQ(error_of([&] { return init::trunc_normal_(row, 0, 1, 50, 51); }),
            "trunc_normal_: there are no numbers between 50.0 and 51.0, so far from the mean 0.0");
}

}  // namespace
}  // namespace vitro::nn
