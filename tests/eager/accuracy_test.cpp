// Sums of many elements, compared with f64: the bound of docs/numerics.md holds.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "eager/eager.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

class Accuracy : public testing::Test {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

// The relative error bound: the number of roundings of an element of a sum, times u.
double bound_of(int64_t n, int64_t lanes) {
  const int64_t run = lanes * ops::reduction_steps;
  const auto blocks = static_cast<uint64_t>((n + run - 1) / run);
  const double levels =
      static_cast<double>(std::bit_width(blocks - 1)) + std::log2(static_cast<double>(lanes));
  return (static_cast<double>(ops::reduction_steps) - 1 + levels) * 0x1p-24;
}

struct Exact {
  double sum = 0, magnitudes = 0;
};

// Numbers in [low, low + 1) in pseudo-random order.
Tensor numbers(int64_t n, float low) {
  Tensor x = Tensor::empty({n});
  auto* p = x.data<float>();
  for (int64_t i = 0; i < n; ++i) {
    const auto word = static_cast<uint32_t>(i) * 2654435761U;
    p[i] = static_cast<float>(word >> 8) * 0x1p-24F + low;
  }
  return x;
}

Exact exact_sum(const Tensor& x, int64_t first, int64_t step) {
  Exact out;
  const auto* p = x.const_data<float>();
  for (int64_t i = first; i < x.numel().value(); i += step) {
    out.sum += static_cast<double>(p[i]);
    out.magnitudes += std::abs(static_cast<double>(p[i]));
  }
  return out;
}

TEST_F(Accuracy, ten_million_tenths) {
  const int64_t n = 10'000'000;
  const double exact = static_cast<double>(n) * static_cast<double>(0.1F);
  const Tensor x = expand(full({1}, 0.1F), {n});
  EXPECT_LT(std::abs(sum(x).item<float>() - exact) / exact, 4.5e-7);
  EXPECT_LT(std::abs(mean(x).item<float>() - exact / static_cast<double>(n)) / 0.1, 4.5e-7);
  const Tensor columns = expand(full({1, 1}, 0.1F), {n / 4, 4});
  for (const float got : sum(columns, {0}).to_vector<float>())
    EXPECT_LT(std::abs(got - exact / 4) / (exact / 4), 4.5e-7);
}

TEST_F(Accuracy, the_bound_holds_for_a_hundred_million_numbers) {
  const int64_t n = 100'000'000, columns = 16;
  for (const float low : {0.0F, -0.5F}) {
    const Tensor x = numbers(n, low);
    const Exact all = exact_sum(x, 0, 1);
    EXPECT_LE(std::abs(sum(x).item<float>() - all.sum), bound_of(n, 16) * all.magnitudes);
    const auto of_columns = sum(view(x, {n / columns, columns}), {0}).to_vector<float>();
    for (const int64_t c : {7}) {
      const Exact one = exact_sum(x, c, columns);
      EXPECT_LE(std::abs(of_columns[static_cast<size_t>(c)] - one.sum),
                bound_of(n / columns, 1) * one.magnitudes);
    }
  }
}

TEST_F(Accuracy, variances_and_softmax_of_long_rows_keep_their_digits) {
  const int64_t n = 10'000'000;
  const Tensor x = numbers(n, 0.0F);
  const double mean = exact_sum(x, 0, 1).sum / static_cast<double>(n);
  double squares = 0;
  const auto* p = x.const_data<float>();
  for (int64_t i = 0; i < n; ++i) squares += (p[i] - mean) * (p[i] - mean);
  EXPECT_NEAR(var(x).item<float>() / (squares / static_cast<double>(n - 1)), 1.0, 1e-6);
  const Tensor ones = softmax(zeros({n}), 0);
  EXPECT_NEAR(ones.const_data<float>()[0] * static_cast<double>(n), 1.0, 1e-6);
}

}  // namespace
}  // namespace vitro
