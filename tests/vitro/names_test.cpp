// Programs with `using namespace vitro` and C's headers: the arguments' types choose the function.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <vitro/vitro.h>

using namespace vitro;  // NOLINT

namespace {

std::vector<float> values(const Tensor& t) {
  return t.to_vector<float>();
}

// Each name takes a tensor, and a number as in C.
#define EXPECT_BOTH(name)                                                     \
  do {                                                                        \
    const double number = 0.7;                                                \
    const Tensor x = Tensor::from({0.7F}, {1});                               \
    const double of_number = name(number);                                    \
    EXPECT_NEAR(name(x).item<float>(), of_number, 1e-6) << #name;             \
    EXPECT_NEAR(vitro::name(x).item<float>(), ::name(number), 1e-6) << #name; \
    EXPECT_NEAR(std::name(number), of_number, 1e-6) << #name;                 \
  } while (false)

TEST(Names, stand_beside_those_of_c) {
  EXPECT_BOTH(exp);
  EXPECT_BOTH(exp2);
  EXPECT_BOTH(expm1);
  EXPECT_BOTH(log);
  EXPECT_BOTH(log2);
  EXPECT_BOTH(log10);
  EXPECT_BOTH(log1p);
  EXPECT_BOTH(sqrt);
  EXPECT_BOTH(sin);
  EXPECT_BOTH(cos);
  EXPECT_BOTH(tan);
  EXPECT_BOTH(asin);
  EXPECT_BOTH(acos);
  EXPECT_BOTH(atan);
  EXPECT_BOTH(sinh);
  EXPECT_BOTH(cosh);
  EXPECT_BOTH(tanh);
  EXPECT_BOTH(asinh);
  EXPECT_BOTH(atanh);
  EXPECT_BOTH(erf);
  EXPECT_BOTH(erfc);
  EXPECT_BOTH(floor);
  EXPECT_BOTH(ceil);
  EXPECT_BOTH(round);
  EXPECT_BOTH(trunc);
  EXPECT_NEAR(acosh(Tensor::from({1.5F}, {1})).item<float>(), acosh(1.5), 1e-6);
}

TEST(Names, of_two_operands_stand_beside_those_of_c) {
  const Tensor x = Tensor::from({5.5F}, {1});
  EXPECT_EQ(pow(x, 2).item<float>(), pow(5.5, 2));
  EXPECT_EQ(pow(2, x).item<float>(), std::pow(2.0F, 5.5F));
  EXPECT_EQ(fmod(x, 2).item<float>(), fmod(5.5, 2));
  EXPECT_EQ(fmod(x, x).item<float>(), 0);
  EXPECT_EQ(remainder(x, 2).item<float>(), 1.5F);  // Python's
  EXPECT_EQ(remainder(5.5, 2), -0.5);              // C's
  EXPECT_NEAR(atan2(x, 2).item<float>(), atan2(5.5, 2), 1e-6);
  EXPECT_EQ(abs(Tensor::from({-2.0F}, {1})).item<float>(), 2);
  EXPECT_EQ(abs(-2), 2);
  EXPECT_EQ(isnan(x).item<bool>(), false);
  EXPECT_EQ(div(x, 2).item<float>(), 2.75F);
  EXPECT_EQ(div(7, 2).quot, 3);
}

TEST(Names, may_be_passed_on) {
  const Tensor x = Tensor::from({0.5F, 1.0F}, {2});
  const auto fast = compile(vitro::sin);
  EXPECT_EQ(values(fast(x)), values(vitro::sin(x)));
  const auto pick = [](bool first) { return first ? vitro::exp : vitro::sin; };
  EXPECT_EQ(values(pick(false)(x)), values(vitro::sin(x)));
  const std::function<Tensor(const Tensor&)> held = vitro::exp;
  EXPECT_EQ(values(held(x)), values(vitro::exp(x)));
  const auto in_place = compile(vitro::exp_);
  const Tensor y = clone(x);
  EXPECT_EQ(values(in_place(y)), values(vitro::exp(x)));
  EXPECT_EQ(values(y), values(vitro::exp(x)));
}

}  // namespace
