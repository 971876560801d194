// Sums of many elements, compared with f64: the bound of docs/numerics.md holds. Functions near the
// limits of their domains, compared with numbers computed with 40 digits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "eager/eager.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/special.h"
#include "vitro/ops/special_functions.h"
#include "vitro/ops/statistics.h"

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

TEST_F(Accuracy, functions_keep_their_digits_near_their_limits) {
  // By mpmath, of the doubles (or floats) nearest to the arguments.
  const auto near = [](const Tensor& got, std::vector<double> want, double digits) {
    const std::vector<double> all = to(got, DType::f64).to_vector<double>();
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(all[i] / want[i], 1.0, digits) << i;
  };
  near(erfinv(Tensor::from({1 - 1e-10, 0x1p-53 - 1, 0.71}, {3})),
       {4.5728249585449249378, -5.8635847487551679272, 0.748204971184985138}, 1e-12);
  near(erfinv(Tensor::from({1 - 0x1p-24F}, {1})), {3.8325068569007109095}, 3e-7);
  const Tensor a = Tensor::from({20.5, 30.0, 16.0}, {3}),
               x = Tensor::from({1e-10, 1e-9, 1e-3}, {3});
  near(igamma(a, x),
       {9.0229921147860725095e-225, 3.769987625167537565e-303, 4.7749811243219372317e-62}, 1e-12);
}

TEST_F(Accuracy, zeta_of_negative_numbers_keeps_what_large_terms_leave) {
  // By the formula of Euler and Maclaurin with 60 digits. Of zeta(33, -0.5) the first two terms,
  // which are near 1e10, cancel out.
  const std::vector<double> x{33, 33, 3, 2, 5, 7, 2, 33, 3, 4, 3},
      q{-0.5, -1.5, -0.5, -3.75, -0.125, -9.75, -100.5, -2.25, -40.25, -20.25, -1000.5},
      want{1.54521342218706938429e-6, 7.37880876767258367680e-14,  4.14398322117159997798e-1,
           1.95049800605995752733e+1, -3.27660002948270981326e+4,  1.63767010574199747530e+4,
           9.85970349187008615200e+0, -7.37869762948381931907e+19, -6.20122523031262068062e+1,
           2.59757538823981699390e+2, 4.99001373501321979742e-7};
  const int64_t n = static_cast<int64_t>(x.size());
  const std::vector<double> got =
      special_zeta(Tensor::from(x, {n}), Tensor::from(q, {n})).to_vector<double>();
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(got[i] / want[i], 1.0, 1e-13) << x[i] << ' ' << q[i];
}

TEST_F(Accuracy, i1_does_not_vanish_before_it_overflows) {
  const Tensor x = Tensor::from({1e300, -1e300, 1e216, 1e10}, {4});
  const std::vector<double> scaled = special_i1e(x).to_vector<double>();
  const std::vector<double> want = {3.98942280401432704e-151, -3.98942280401432704e-151,
                                    3.98942280401432690e-109, 3.98942280386472334e-06};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(scaled[i] / want[i], 1.0, 1e-14) << i;
  EXPECT_EQ(special_i1(x).to_vector<double>(),
            (std::vector<double>{INFINITY, -INFINITY, INFINITY, INFINITY}));
  const std::vector<double> ends =
      special_i1e(Tensor::from<double>({-0.0, -INFINITY}, {2})).to_vector<double>();
  EXPECT_TRUE(std::signbit(ends[0]) && ends[0] == 0);
  EXPECT_EQ(ends[1], 0);
}

TEST_F(Accuracy, ldexp_is_exact_where_the_power_alone_is_out_of_range) {
  const Tensor by = Tensor::from<int64_t>({200, 400, -149, 5, -2000, int64_t{1} << 62}, {6});
  const Tensor x = Tensor::from({0x1p-140F, 0.0F, 1.0F, -1.5F, 1.0F, 1.0F}, {6});
  EXPECT_EQ(ldexp(x, by).to_vector<float>(),
            (std::vector<float>{0x1p60F, 0, 0x1p-149F, -48, 0, INFINITY}));
  EXPECT_EQ(ldexp(to(x, DType::f64), by).to_vector<double>(),
            (std::vector<double>{0x1p60, 0, 0x1p-149, -48, 0, INFINITY}));
  EXPECT_EQ(ldexp(Tensor::from({0x1p-1074, 0x1p1000}, {2}), Tensor::from({2097, -2074}, {2}))
                .to_vector<double>(),
            (std::vector<double>{0x1p1023, 0x1p-1074}));
  EXPECT_EQ(ldexp(to(x, DType::f16), by).dtype(), DType::f16) << "as PyTorch, not that of 2^other";
}

TEST_F(Accuracy, an_infinite_side_makes_an_infinite_hypotenuse) {
  const Tensor x = Tensor::from({INFINITY, NAN, -INFINITY, 3.0F}, {4});
  const Tensor y = Tensor::from({NAN, INFINITY, 1.0F, 4.0F}, {4});
  EXPECT_EQ(hypot(x, y).to_vector<float>(), (std::vector<float>{INFINITY, INFINITY, INFINITY, 5}));
}

}  // namespace
}  // namespace vitro
