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

// Pairs of positions [c, 2 p] that were computed as [p, 2, c]: a split loop has strides, too.
TEST(LoopNest, loops_that_were_split_follow_the_strides_of_what_is_written) {
  const Expr c = Expr::index("c", 64), w = Expr::index("w", 8);
  const Expr access[] = {w * 64 + c, sym::floordiv(w, 2) * 64 + sym::mod(w, 2) * 256 + c};
  EXPECT_EQ(text(choose_loop_nest(std::vector{c, w}, access, access[0])),
            "i0 < 4; i1 < 2; i2 < 64; i2, 2*i0 + i1, ");
}

// [3, 70] to [70, 3]: vectors of three would be mostly empty.
TEST(LoopNest, vectors_run_along_what_is_read_if_the_last_loop_is_short) {
  const auto nest_of = [](int64_t channels, int64_t positions, int64_t step) {
    const Expr i = Expr::index("a", positions), j = Expr::index("b", channels);
    const Expr access[] = {i * channels + j, i * step + j * positions * step};
    return text(choose_loop_nest(std::vector{i, j}, access, access[0], true));
  };
  EXPECT_EQ(nest_of(3, 70, 1), "i0 < 3; i1 < 70; i1, i0, ");
  EXPECT_EQ(nest_of(3, 70, 2), "i0 < 70; i1 < 3; i0, i1, ");    // no run
  EXPECT_EQ(nest_of(3, 12, 1), "i0 < 12; i1 < 3; i0, i1, ");    // short as well
  EXPECT_EQ(nest_of(20, 70, 1), "i0 < 70; i1 < 20; i0, i1, ");  // long enough
}

}  // namespace
}  // namespace vitro::loop
