// Numbers combined with f16 and bf16 tensors: the same ops round them first as in PyTorch.
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

// The number is not rounded: `way` gives the same in the dtype of x, in f32, and compiled; the
// number varies.
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
  expect_kept(x(), [](const Tensor& t, double number) { return div(t, number, "floor"); });
  expect_kept(x(), [](const Tensor& t, double number) { return div(t, number, "trunc"); });
  expect_kept(x(), [](const Tensor& t, double number) { return leaky_relu(t, number); });
  expect_kept(x(), [](const Tensor& t, double number) { return elu(t, number); });
}

TEST_P(HalfNumbers, are_rounded_before_they_are_added) {
  expect_rounded(x(), [](const Tensor& t, double number) { return t + number; });
  expect_rounded(x(), [](const Tensor& t, double number) { return t - number; });
}

// alpha is rounded, and then the product, as in PyTorch's kernels for strided operands.
TEST_P(HalfNumbers, are_rounded_as_alpha) {
  const auto way = [](const Tensor& t, double number) {
    return add(t, t, number) - sub(t, 1, number);
  };
  const Tensor t = x();
  auto fast = compile(way);
  for (const double number : {0.1, 1.0 / 3, 1e-3, -0.7, 2.5}) {
    const Tensor alpha = full({1999}, number, GetParam()), one = full({1999}, 1.0, GetParam());
    const Tensor want = (t + t * alpha) - (t - one * alpha);
    EXPECT_EQ(values(way(t, number)), values(want)) << number;
    EXPECT_EQ(values(fast(t, number)), values(want)) << number;
  }
}

// A tensor of rank 0 counts as a number unless it is operand 0, whether it is an argument or made
// in the program.
TEST_P(HalfNumbers, stand_in_tensors_without_dimensions) {
  const Tensor t = x(), wide = to(t, DType::f32);
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor flat = full({}, 0.1, dtype), rounded = full({1999}, 0.1, GetParam());
    const Tensor kept = to(wide * 0.1, GetParam()), less = to(wide / 0.1, GetParam());
    auto times = compile([](const Tensor& a, const Tensor& b) { return a * b; });
    auto over = compile([](const Tensor& a, const Tensor& b) { return a / b; });
    auto made_last = compile([&](const Tensor& a) { return a * full({}, 0.1, dtype); });
    auto made_first = compile([&](const Tensor& a) { return full({}, 0.1, dtype) * a; });
    for (const Tensor& got : {t * flat, times(t, flat), made_last(t)})
      EXPECT_EQ(values(got), values(kept)) << name_of(dtype);
    for (const Tensor& got : {flat * t, times(flat, t), made_first(t)})
      EXPECT_EQ(values(got), values(t * rounded)) << name_of(dtype);
    for (const Tensor& got : {t / flat, over(t, flat)})
      EXPECT_EQ(values(got), values(less)) << name_of(dtype);
  }
}

TEST_P(HalfNumbers, are_sizes) {
  const auto way = [](const Tensor& t) { return t * t.size(0) / (t.size(0) + 2); };
  auto fast = compile(way);
  for (const int64_t count : {2051, 2999, 4099, 70001}) {
    const Tensor t = to(arange(1, count) / 8192.0, GetParam());
    const double size = static_cast<double>(count) - 1;
    const Tensor more = to(to(t, DType::f32) * size, GetParam());
    EXPECT_EQ(values(way(t)), values(to(to(more, DType::f32) / (size + 2), GetParam()))) << count;
    EXPECT_EQ(values(fast(t)), values(way(t))) << count;
  }
}

// A constant of the program, and a tensor that the compiler folds to a number.
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

// In torch 2.13, 701 of these differ from the product with the rounded number.
TEST(HalfNumber, is_kept_where_torch_keeps_it) {
  init();
  const Tensor x = to(arange(1, 2000) / 512.0, DType::f16);
  const auto kept = values(x * 0.1), rounded = values(x * to(full({1999}, 0.1), DType::f16));
  size_t differ = 0;
  for (size_t i = 0; i < kept.size(); ++i) differ += kept[i] != rounded[i];
  EXPECT_EQ(differ, 701U);
}

// The integer is not converted to f64 first, which would round it twice.
TEST(HalfNumber, that_is_whole_is_rounded_once) {
  init();
  const int64_t number = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  const auto way = [&](const Tensor& x) { return x * number; };
  auto fast = compile(way);
  for (const DType dtype : {DType::f32, DType::bf16, DType::f64}) {
    const Tensor x = full({5}, 1, dtype);
    EXPECT_EQ(values(fast(x)), values(way(x))) << name_of(dtype);
  }
}

}  // namespace
}  // namespace vitro
