#include "backend/run/arena_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace vitro::backend {
namespace {

TEST(ArenaPlan, buffers_that_do_not_live_together_share_memory) {
  const Lifetime buffers[] = {{1024, 0, 1}, {1024, 2, 3}, {1024, 1, 2}};
  const ArenaPlan plan = plan_arena(buffers);
  EXPECT_EQ(plan.bytes, 2048);
  EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
}

TEST(ArenaPlan, buffers_that_live_together_never_overlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> buffers(20);
    for (Lifetime& b : buffers) {
      b = {static_cast<int64_t>(random() % 5000), {static_cast<uint32_t>(random() % 10)}, {}};
      b.last.n = b.first.n + static_cast<uint32_t>(random() % 5);
    }
    const ArenaPlan plan = plan_arena(buffers);
    for (size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_EQ(plan.offsets[a] % 64, 0);
      EXPECT_LE(plan.offsets[a] + buffers[a].bytes, plan.bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool together =
            buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
        const bool apart = plan.offsets[a] + buffers[a].bytes <= plan.offsets[b] ||
                           plan.offsets[b] + buffers[b].bytes <= plan.offsets[a];
        EXPECT_TRUE(!together || apart || buffers[a].bytes == 0 || buffers[b].bytes == 0);
      }
    }
  }
}

}  // namespace
}  // namespace vitro::backend
