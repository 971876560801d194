#include "vitro/core/generator.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "error_of.h"
#include "vitro/core/generator_state.h"
#include "vitro/core/mt19937.h"

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

TEST(Generator, goes_on_from_a_state) {
  manual_seed(7);
  (void)take_random(12);
  const std::string state = generator_state();
  EXPECT_EQ(state, "philox 7 12");
  manual_seed(1);
  set_generator_state(state);
  EXPECT_EQ(take_random(1).counter, 12U);
}

TEST(Generator, goes_on_from_a_state_of_the_mersenne_twister) {
  manual_seed(7, Generator::mt19937);
  const auto next = [] {
    double out = 0;
    draw_from_mt19937([&](Mt19937& g) { out = g.normal(); });
    return out;
  };
  (void)next();  // keeps the second number of a pair
  const std::string state = generator_state();
  const double second = next(), third = next();
  manual_seed(1);
  set_generator_state(state);
  EXPECT_EQ(current_generator(), Generator::mt19937);
  EXPECT_EQ(next(), second);
  EXPECT_EQ(next(), third);
  manual_seed(0);
}

TEST(Generator, a_state_that_is_damaged_changes_nothing) {
  manual_seed(7, Generator::mt19937);
  const std::string twister = generator_state();
  manual_seed(3);
  for (const std::string& text :
       {std::string(), std::string("philox"), std::string("philox 1"), std::string("philox 1 2 3"),
        std::string("philox x 2"), std::string("xorshift 1 2"), twister + " 1",
        twister.substr(0, twister.size() / 2), "philox" + twister.substr(7)})
    EXPECT_EQ(error_of([&] { set_generator_state(text); }),
              "set_generator_state: got a text that generator_state() does not write");
  EXPECT_EQ(generator_state(), "philox 3 0");
}

}  // namespace
}  // namespace vitro
