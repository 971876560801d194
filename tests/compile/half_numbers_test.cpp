// Plain numbers beside f16 and bf16: which ops round them first is PyTorch's choice.
#include <gtest/gtest.h>

#include <functional>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

using Body = std::function<Tensor(const Tensor&, double)>;

class HalfNumbers : public ::testing::TestWithParam<DType> {
 protected:
  void SetUp() override { init(); }
  Tensor x() const { return to((arange(1, 2000) / 512.0) - 1.5, GetParam()); }
};

const double numbers[] = {0.1, 1.0 / 3, 1e-3, -0.7, 2.5, 131008.0};

std::vector<double> values(const Tensor& t) {
  return to(t, DType::f64).to_vector<double>();
}

// `way` of x as it is, in f32 of the number as it is, and compiled; the number varies.
void expect_kept(const Tensor& x, const Body& way) {
  auto fast = compile([&](const Tensor& t, double number) { return way(t, number); });
  for (const double number : numbers) {
    const Tensor got = way(x, number);
    EXPECT_EQ(values(got), values(to(way(to(x, DType::f32), number), x.dtype()))) << number;
    EXPECT_EQ(values(fast(x, number)), values(got)) << number;
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

void expect_rounded(const Tensor& x, const Body& way) {
  auto fast = compile([&](const Tensor& t, double number) { return way(t, number); });
  for (const double number : numbers) {
    const Tensor got = way(x, number), rounded = to(full({}, number), x.dtype());
    const double first = values(rounded)[0];
    EXPECT_EQ(values(got), values(to(way(to(x, DType::f32), first), x.dtype()))) << number;
    EXPECT_EQ(values(fast(x, number)), values(got)) << number;
  }
}

TEST_P(HalfNumbers, are_multiplied_and_divided_by_as_they_are) {
  expect_kept(x(), [](const Tensor& t, double number) { return t * number; });
  expect_kept(x(), [](const Tensor& t, double number) { return number * t; });
  expect_kept(x(), [](const Tensor& t, double number) { return t / number; });
  expect_kept(x(), [](const Tensor& t, double number) { return floor_divide(t, number); });
  expect_kept(x(), [](const Tensor& t, double number) { return leaky_relu(t, number); });
  expect_kept(x(), [](const Tensor& t, double number) { return elu(t, number); });
}

TEST_P(HalfNumbers, are_rounded_before_they_are_added) {
  expect_rounded(x(), [](const Tensor& t, double number) { return t + number; });
  expect_rounded(x(), [](const Tensor& t, double number) { return t - number; });
}

// A constant of the program, and one that the compiler finds to be a number.
TEST_P(HalfNumbers, are_the_same_as_constants) {
  const Tensor t = x();
  const auto times = [](const Tensor& y) { return (y * 0.1) / 3.0; };
  const auto full_of = [](const Tensor& y) { return y * full({1999}, 0.1, y.dtype()); };
  auto fast_times = compile(times);
  auto fast_full = compile(full_of);
  EXPECT_EQ(values(fast_times(t)), values(times(t)));
  EXPECT_EQ(values(fast_full(t)), values(full_of(t)));
  EXPECT_NE(values(full_of(t)), values(t * 0.1));
}

INSTANTIATE_TEST_SUITE_P(Dtypes, HalfNumbers, ::testing::Values(DType::f16, DType::bf16));

// torch 2.13: 701 of these differ from what the rounded number gives.
TEST(HalfNumber, is_kept_where_torch_keeps_it) {
  init();
  const Tensor x = to(arange(1, 2000) / 512.0, DType::f16);
  const auto kept = values(x * 0.1), rounded = values(x * to(full({1999}, 0.1), DType::f16));
  size_t differ = 0;
  for (size_t i = 0; i < kept.size(); ++i) differ += kept[i] != rounded[i];
  EXPECT_EQ(differ, 701U);
}

}  // namespace
}  // namespace vitro
