#include <gtest/gtest.h>

#include "vitro/base/error.h"
#include "vitro/sym/expr.h"

namespace vitro::sym {
namespace {

Expr named(std::string_view name) {
  return name.starts_with('s') ? Expr::symbol(name) : Expr();
}

TEST(Text, reads_what_it_printed) {
  const Expr n = Expr::symbol("s0"), m = Expr::symbol("s1");
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  for (const Expr e : {n, -n, n * m - 3, floordiv(n + m * m, 4) * mod(n, m), min(n, max(m, 5)) - 1,
                       Expr(lowest), n + Expr(lowest), Expr(0)}) {
    const auto read = parse(e.text(), named);
    ASSERT_TRUE(read) << e.text();
    EXPECT_EQ(*read, e) << e.text();
  }
}

TEST(Text, that_is_no_expression_gives_none) {
  for (const char* text :
       {"", "s0 +", "s0 s1", "floordiv(s0)", "floordiv(s0, 0)", "what(s0, s1)", "unknown", "(s0",
        "99999999999999999999", "9223372036854775807 + 1", "s0 / 2", "*", "-"}) {
    EXPECT_FALSE(parse(text, named)) << text;
  }
  EXPECT_FALSE(parse(std::string(100000, '('), named));
}

TEST(Text, may_hold_spaces_and_parentheses) {
  EXPECT_EQ(parse(" ( s0+1 ) * (s0 - 1)", named)->text(), "s0*s0 - 1");
}

}  // namespace
}  // namespace vitro::sym
