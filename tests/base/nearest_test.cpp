#include "vitro/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace vitro {
namespace {

TEST(Nearest, finds_the_name_that_was_meant) {
  const std::vector<std::string> known = {"eager", "inductor", "mine"};
  EXPECT_EQ(nearest("inductr", known), "inductor");
  EXPECT_EQ(nearest("inudctor", known), "inductor");
  EXPECT_EQ(nearest("Eager", known), "eager");
  EXPECT_EQ(nearest("mien", known), "mine");
  EXPECT_EQ(nearest("eager", known), "eager");
}

TEST(Nearest, finds_the_shortest_name_that_holds_the_word) {
  const std::vector<std::string> known = {"cos", "convolution", "my_conv", "conv2d", "native_norm"};
  EXPECT_EQ(nearest("conv", known), "conv2d");
  EXPECT_EQ(nearest("Norm", known), "native_norm");
}

TEST(Nearest, finds_none_where_a_third_of_the_letters_would_change) {
  const std::vector<std::string> known = {"copy", "cos", "sin", "add"};
  for (const char* other : {"topk", "conv", "std", "xy"})
    EXPECT_EQ(nearest(other, known), "") << other;
  EXPECT_EQ(nearest("ad", known), "add");
}

TEST(Nearest, finds_none_where_none_is_near) {
  const std::vector<std::string> known = {"eager", "inductor", "a"};
  EXPECT_EQ(nearest("cuda", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace vitro
