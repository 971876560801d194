#include "kernels/machine.h"

#include <gtest/gtest.h>

namespace vitro::kernels {
namespace {

TEST(Machine, a_wish_lowers_the_instruction_set_and_a_wrong_one_says_why) {
  std::string why;
  EXPECT_EQ(chosen_isa("", Isa::avx2, why), Isa::avx2);
  EXPECT_EQ(chosen_isa("baseline", Isa::avx2, why), Isa::baseline);
  EXPECT_EQ(chosen_isa("avx2", Isa::avx2, why), Isa::avx2);
  EXPECT_EQ(why, "");
  EXPECT_EQ(chosen_isa("avx512", Isa::avx2, why), Isa::avx2);
  EXPECT_EQ(why, "got \"avx512\", which this machine does not have; keeping avx2");
  EXPECT_EQ(chosen_isa("AVX2", Isa::avx512, why), Isa::avx512);
  EXPECT_EQ(why, "got \"AVX2\", needs baseline, avx2 or avx512; keeping avx512");
}

}  // namespace
}  // namespace vitro::kernels
