#include "loop/loop_nest.h"

#include <gtest/gtest.h>

#include "vitro/base/cat.h"

namespace vitro::loop {
namespace {

using sym::Expr;

std::string text(const LoopNest& nest) {
  std::string out;
  for (const Expr loop : nest.loops) out += cat(loop, " < ", sym::extent_of(loop), "; ");
  for (const Expr value : nest.values) out += cat(value, ", ");
  return out;
}

TEST(LoopNest, dimensions_that_all_accesses_traverse_as_one_become_one) {
  const Expr i = Expr::index("a", 128), j = Expr::index("b", 768);
  const Expr access[] = {i * 768 + j};
  const LoopNest nest = choose_loop_nest(std::vector{i, j}, access, access[0]);
  EXPECT_EQ(text(nest), "i < 98304; floordiv(i, 768), mod(i, 768), ");
}

TEST(LoopNest, a_broadcast_keeps_them_apart) {
  const Expr i = Expr::index("a", 128), j = Expr::index("b", 768);
  const Expr access[] = {i * 768 + j, j};
  EXPECT_EQ(choose_loop_nest(std::vector{i, j}, access, access[0]).loops.size(), 2u);
}

TEST(LoopNest, a_division_splits_the_loop) {
  const Expr i = Expr::index("a", 128), j = Expr::index("b", 768);
  const Expr access[] = {sym::floordiv(j, 64) * 8192 + i * 64 + sym::mod(j, 64), i * 768 + j};
  const LoopNest nest = choose_loop_nest(std::vector{i, j}, access, access[1]);
  EXPECT_EQ(text(nest), "i0 < 128; i1 < 12; i2 < 64; i0, 64*i1 + i2, ");
}

TEST(LoopNest, loops_follow_the_strides_of_what_is_written) {
  const Expr i = Expr::index("a", 5), j = Expr::index("b", 7);
  const Expr access[] = {i + j * 5};
  EXPECT_EQ(text(choose_loop_nest(std::vector{i, j}, access, access[0])),
            "i < 35; mod(i, 5), floordiv(i, 5), ");
}

}  // namespace
}  // namespace vitro::loop
