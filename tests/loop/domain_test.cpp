#include "loop/domain.h"

#include <gtest/gtest.h>

#include "vitro/base/cat.h"

namespace vitro::loop {
namespace {

using sym::Expr;

std::string text(const Domain& d) {
  std::string out;
  for (const Expr loop : d.loops) out += cat(loop, " < ", sym::extent_of(loop), "; ");
  for (const Expr value : d.values) out += cat(value, ", ");
  return out;
}

TEST(Domain, dimensions_that_all_accesses_walk_as_one_become_one) {
  const Expr i = Expr::index("a", 128), j = Expr::index("b", 768);
  const Expr access[] = {i * 768 + j};
  const Domain d = choose_domain(std::vector{i, j}, access, access[0]);
  EXPECT_EQ(text(d), "i < 98304; floordiv(i, 768), mod(i, 768), ");
}

TEST(Domain, a_broadcast_keeps_them_apart) {
  const Expr i = Expr::index("a", 128), j = Expr::index("b", 768);
  const Expr access[] = {i * 768 + j, j};
  EXPECT_EQ(choose_domain(std::vector{i, j}, access, access[0]).loops.size(), 2u);
}

TEST(Domain, a_division_splits_the_loop) {
  const Expr i = Expr::index("a", 128), j = Expr::index("b", 768);
  const Expr access[] = {sym::floordiv(j, 64) * 8192 + i * 64 + sym::mod(j, 64), i * 768 + j};
  const Domain d = choose_domain(std::vector{i, j}, access, access[1]);
  EXPECT_EQ(text(d), "i0 < 128; i1 < 12; i2 < 64; i0, 64*i1 + i2, ");
}

TEST(Domain, loops_follow_the_strides_of_what_is_written) {
  const Expr i = Expr::index("a", 5), j = Expr::index("b", 7);
  const Expr access[] = {i + j * 5};
  EXPECT_EQ(text(choose_domain(std::vector{i, j}, access, access[0])),
            "i < 35; mod(i, 5), floordiv(i, 5), ");
}

}  // namespace
}  // namespace vitro::loop
