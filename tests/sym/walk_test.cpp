#include <gtest/gtest.h>

#include <map>

#include "vitro/base/error.h"
#include "vitro/sym/expr.h"

namespace vitro::sym {
namespace {

struct Walk : testing::Test {
  Expr n = Expr::symbol("s0"), m = Expr::symbol("s1");
  Expr i = Expr::index("i", n);
};

TEST_F(Walk, substitution_simplifies_again) {
  EXPECT_EQ(substitute(floordiv(n, 4) + m, n, 8 * m), 3 * m);
  EXPECT_EQ(substitute(min(n, 5), n, 7), Expr(5));
  EXPECT_EQ(substitute(n * m, n, 0), Expr(0));
}

TEST_F(Walk, substitutes_all_symbols_at_once) {
  const std::pair<Expr, Expr> swap[] = {{n, m}, {m, n}};
  EXPECT_EQ(substitute(n - 2 * m, swap), m - 2 * n);
}

TEST_F(Walk, names_its_symbols_in_order) {
  EXPECT_EQ(symbols_of(floordiv(m + i, 3) * n + m), (std::vector<Expr>{i, n, m}));
  EXPECT_TRUE(contains(floordiv(m, 3) + 1, m));
  EXPECT_FALSE(contains(i, n));  // an extent is not part of the value
}

TEST_F(Walk, splits_what_is_linear_in_a_symbol) {
  const auto parts = as_linear(3 * i * m + 2 * i + m + 1, i);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->coefficient, 3 * m + 2);
  EXPECT_EQ(parts->rest, m + 1);
  EXPECT_FALSE(as_linear(i * i, i));
  EXPECT_FALSE(as_linear(floordiv(i, 4), i));
  EXPECT_EQ(as_linear(m, i)->coefficient, Expr(0));
}

TEST_F(Walk, evaluates_with_checked_numbers) {
  std::map<std::string_view, int64_t> values{{"s0", 7}, {"s1", 3}};
  const auto value_of = [&](Expr e) { return values.at(name_of(e)); };
  EXPECT_EQ(evaluate(n * m + floordiv(n, m) - mod(n, m), value_of), 22);
  values["s0"] = int64_t{1} << 62;
  EXPECT_THROW(evaluate(n * m, value_of), Error);
  values["s0"] = 0;
  EXPECT_THROW(evaluate(mod(m, n), value_of), Error);
}

}  // namespace
}  // namespace vitro::sym
