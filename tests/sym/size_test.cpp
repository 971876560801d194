#include "vitro/sym/size.h"

#include <gtest/gtest.h>

#include "vitro/base/error.h"

namespace vitro {
namespace {

TEST(Size, without_a_symbol_is_a_plain_number) {
  const Size a = 7, b = 2;
  EXPECT_EQ((a / b).value(), 3);
  EXPECT_EQ((Size(-7) / b).value(), -4);
  EXPECT_EQ((Size(-7) % b).value(), 1);
  EXPECT_EQ((a * 3 - 1).value(), 20);
  EXPECT_EQ(max(a, b).value(), 7);
  EXPECT_FALSE((a + b).is_symbolic());
  EXPECT_TRUE(a > b && b <= 2 && a != b && 7 == a);
  EXPECT_EQ(cat(a), "7");
  const Size factors[] = {2, 3, 4};
  EXPECT_EQ(product(factors).value(), 24);
}

TEST(Size, carries_its_expression_along) {
  const sym::Expr n = sym::Expr::symbol("s0"), m = sym::Expr::symbol("s1");
  const Size a(6, n), b(4, m);
  EXPECT_EQ((a * b + 1).expr(), n * m + 1);
  EXPECT_EQ((a * b + 1).value(), 25);
  EXPECT_EQ(cat(a / 2), "floordiv(s0, 2)");
  EXPECT_FALSE((a - a).is_symbolic());
  EXPECT_FALSE(Size(3, 3).is_symbolic());
  EXPECT_TRUE(identical(a + b, b + a));
  EXPECT_FALSE(identical(a, Size(6)));
}

TEST(Size, becomes_a_number_where_its_expression_grows_too_large) {
  const sym::Expr n = sym::Expr::symbol("s0");
  Size halved(5, n), squared(7, n), near(9, n);
  int64_t as_halved = 5, as_squared = 7, as_near = 9;
  for (int i = 0; i < 30; ++i) {
    halved = (halved * 3 + 1) / 2, as_halved = (as_halved * 3 + 1) / 2;
    squared = squared * squared % 1000, as_squared = as_squared * as_squared % 1000;
    near = (near - 1) / 2 + 1, as_near = (as_near - 1) / 2 + 1;
    EXPECT_EQ(halved.hint(), as_halved);
    EXPECT_EQ(squared.hint(), as_squared);
    if (!squared.is_symbolic()) continue;
    const auto at_7 = [](sym::Expr e) { return e.is(0) ? 0 : 7; };
    EXPECT_EQ(sym::evaluate(squared.expr(), at_7), as_squared) << i;
  }
  EXPECT_FALSE(halved.is_symbolic());
  EXPECT_EQ(near.hint(), as_near);
  EXPECT_TRUE(near.is_symbolic());
}

TEST(Size, refuses_what_does_not_fit_and_divisions_by_0) {
  EXPECT_THROW(Size(int64_t{1} << 62) * 2, Error);
  EXPECT_THROW(Size(1) - Size(std::numeric_limits<int64_t>::min()), Error);
  EXPECT_THROW(Size(1) / 0, Error);
  EXPECT_THROW(Size(1) % Size(0), Error);
}

}  // namespace
}  // namespace vitro
