#include "vitro/core/generator.h"

#include <gtest/gtest.h>

namespace vitro {
namespace {

// Known answers of the reference implementation (Random123, kat_vectors, philox4x32 10 rounds).
TEST(Philox, gives_the_published_numbers) {
  EXPECT_EQ(philox(0, 0, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0ULL, ~0ULL, ~0ULL),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Generator, hands_out_counters_in_program_order) {
  manual_seed(7);
  EXPECT_EQ(take_random(10).counter, 0u);
  EXPECT_EQ(take_random(1).counter, 10u);
  manual_seed(7);
  EXPECT_EQ(take_random(1).counter, 0u);
  EXPECT_EQ(take_random(1).seed, 7u);
}

}  // namespace
}  // namespace vitro
