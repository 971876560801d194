// The comparison of `vitro verify` says what torch.testing.assert_close says.
#include "comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "vitro/ops/create.h"

namespace vitro::cli {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Tensor of(std::initializer_list<double> values, DType dtype = DType::f64) {
  return to(Tensor::from<double>(values, {static_cast<int64_t>(values.size())}), dtype);
}

TEST(Comparison, has_the_tolerances_of_the_dtype) {
  // Just within and just beyond 1e-7 + 1e-7 * 2, 1e-5 + 1.3e-6 * 2, 1e-5 + 1.6e-2 * 2.
  EXPECT_TRUE(difference(of({2 + 2.9e-7}), of({2})).is_same());
  EXPECT_FALSE(difference(of({2 + 3.1e-7}), of({2})).is_same());
  EXPECT_TRUE(difference(of({2 + 1.2e-5}, DType::f32), of({2}, DType::f32)).is_same());
  EXPECT_FALSE(difference(of({2 + 1.3e-5}, DType::f32), of({2}, DType::f32)).is_same());
  EXPECT_TRUE(difference(of({2.03125}, DType::bf16), of({2}, DType::bf16)).is_same());
  EXPECT_FALSE(difference(of({2.046875}, DType::bf16), of({2}, DType::f32)).is_same());
  EXPECT_FALSE(difference(of({3}, DType::i64), of({2}, DType::i64)).is_same());
  EXPECT_TRUE(difference(of({3}), of({2}), 0.4, 0.2).is_same());
  EXPECT_FALSE(difference(of({3}), of({2}), 0.4, 0.1).is_same());
}

TEST(Comparison, measures_the_largest_errors) {
  const Difference found = difference(of({1, 2, 3.5, -8}), of({1, 2.5, 3, -10}));
  EXPECT_EQ(found.elements, 4);
  EXPECT_EQ(found.wrong, 3);
  EXPECT_DOUBLE_EQ(found.absolute, 2);
  EXPECT_DOUBLE_EQ(found.relative, 0.2);
  EXPECT_EQ(found.text(), "3 of 4 elements differ, by 2 at most, relative 0.2");
}

TEST(Comparison, knows_nan_and_infinity) {
  EXPECT_TRUE(difference(of({nan, inf, -inf}), of({nan, inf, -inf})).is_same());
  for (const auto& [a, b] :
       {std::pair{nan, 1.0}, {1.0, nan}, {inf, -inf}, {inf, 1.0}, {1.0, inf}}) {
    const Difference found = difference(of({a}), of({b}));
    EXPECT_EQ(found.wrong, 1) << a << ' ' << b;
    EXPECT_EQ(found.absolute, inf) << a << ' ' << b;
    EXPECT_EQ(found.nans, std::isnan(a) ? 1 : 0);
    EXPECT_EQ(found.nans_wanted, std::isnan(b) ? 1 : 0);
  }
}

TEST(Comparison, tells_large_integers_apart) {
  const int64_t large = (int64_t{1} << 53) + 1;
  const Tensor a = Tensor::from<int64_t>({large}, {1}), b = Tensor::from<int64_t>({large - 1}, {1});
  EXPECT_FALSE(difference(a, b).is_same());
  EXPECT_TRUE(difference(a, a).is_same());
}

TEST(Comparison, measures_complex_numbers_by_their_distance) {
  const Tensor a = Tensor::of_pairs(Tensor::from<double>({3, 4}, {1, 2}));
  const Tensor b = Tensor::of_pairs(Tensor::from<double>({0, 0}, {1, 2}));
  EXPECT_DOUBLE_EQ(difference(a, b).absolute, 5);
  EXPECT_DOUBLE_EQ(difference(b, a).relative, 1);
  EXPECT_TRUE(difference(a, a).is_same());
}

TEST(Comparison, refuses_other_dtypes_and_sizes) {
  EXPECT_EQ(difference(of({1}), of({1, 2})).misfit, "is f64[1], wanted f64[2]");
  EXPECT_EQ(difference(of({1}), of({1}, DType::f32)).misfit, "is f64[1], wanted f32[1]");
}

}  // namespace
}  // namespace vitro::cli
