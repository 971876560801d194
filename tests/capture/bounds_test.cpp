// Ranges of sums of symbols that follow from guards.
#include "capture/bounds.h"

#include <gtest/gtest.h>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

using capture::Bounds;
using Question = sym::Guard::Question;

const sym::Expr a = sym::Expr::symbol("bounds_a", {1, 100});
const sym::Expr b = sym::Expr::symbol("bounds_b", {1, 100});

TEST(Bounds, are_of_sums_without_a_constant_or_a_common_factor) {
  const sym::Guard guards[] = {{Question::less, a * 4 + 1, b * 6, true},    // 6b - 4a >= 2
                               {Question::less, b * 9 - 5, a * 6, false}};  // 9b - 6a >= 5
  const Bounds bounds(guards);
  ASSERT_EQ(bounds.all().size(), 1U);
  EXPECT_EQ(bounds.all()[0].sum, a * 2 - b * 3);
  EXPECT_EQ(bounds.all()[0].range, (sym::Range{-298, -2}));  // from 2 * 1 - 3 * 100
}

TEST(Bounds, begin_with_what_is_known_of_a_sum) {
  const sym::Guard guards[] = {{Question::less, a, 200, true}, {Question::less, a + b, 7, true}};
  const Bounds bounds(guards);
  ASSERT_EQ(bounds.all().size(), 2U);
  EXPECT_EQ(bounds.all()[0].range, (sym::Range{1, 100}));
  EXPECT_EQ(bounds.all()[1].range, (sym::Range{2, 6}));
  EXPECT_EQ(bounds.range_of(b), (sym::Range{1, 100}));
}

TEST(Bounds, lose_their_ends_to_what_they_are_not) {
  const sym::Guard guards[] = {{Question::equal, a * 2, 4, false},
                               {Question::equal, a, 100, false},
                               {Question::equal, a, 1, false},
                               {Question::equal, a, 50, false},
                               {Question::equal, a * 2, 7, false}};
  EXPECT_EQ(Bounds(guards).range_of(a), (sym::Range{3, 99}));
}

TEST(Bounds, hold_a_symbol_to_its_least) {
  const sym::Guard guards[] = {{Question::less, b, a * b, false}};
  const Bounds bounds(guards);
  ASSERT_EQ(bounds.all().size(), 1U);
  EXPECT_TRUE(bounds.holds_to_least(bounds.all()[0], a));
  EXPECT_FALSE(bounds.holds_to_least(bounds.all()[0], b));
}

TEST(Bounds, hold_a_symbol_among_many_to_its_least) {
  sym::Expr many = 1;
  for (int s = 0; s < 40; ++s) many = many * sym::Expr::symbol(cat("bounds_many", s));
  const sym::Guard guards[] = {{Question::less, many, a * many, false}};
  const Bounds bounds(guards);
  EXPECT_TRUE(bounds.holds_to_least(bounds.all()[0], a));
  EXPECT_FALSE(bounds.holds_to_least(bounds.all()[0], sym::Expr::symbol("bounds_many7")));
}

}  // namespace
}  // namespace vitro
