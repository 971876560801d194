#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/sym/expr.h"

namespace vitro::sym {
namespace {

TEST(Intern, gives_all_threads_the_same_nodes) {
  constexpr int threads = 6, count = 300;
  std::vector<std::vector<Expr>> made(threads);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&made, t] {
      for (int i = 0; i < count; ++i) {
        const Expr n = Expr::symbol(cat("n", i)), at = Expr::index("at", n);
        made[t].push_back(floordiv(at + (n + i) * n, n) + mod(at + 100'000 * n, n * 3));
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (int t = 1; t < threads; ++t) EXPECT_EQ(made[t], made[0]);
}

TEST(Intern, keeps_numbers_of_all_sizes_apart) {
  std::set<const Node*> nodes;
  int64_t added = 0;
  for (int64_t value = -3000; value < 3000; ++value, ++added) nodes.insert(Expr(value).node());
  for (int64_t value = 1 << 20; value > 0 && value < int64_t{1} << 61; value *= 3, ++added) {
    nodes.insert(Expr(value).node());
    EXPECT_EQ(Expr(value).constant(), value);
    EXPECT_EQ(Expr(value), Expr(value));
  }
  EXPECT_EQ(static_cast<int64_t>(nodes.size()), added);
}

}  // namespace
}  // namespace vitro::sym
