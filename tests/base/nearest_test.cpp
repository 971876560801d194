#include "vitro/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace vitro {
namespace {

TEST(Nearest, FindsTheNameThatWasMeant) {
  const std::vector<std::string> known = {"eager", "inductor", "mine"};
  EXPECT_EQ(nearest("inductr", known), "inductor");
  EXPECT_EQ(nearest("inudctor", known), "inductor");
  EXPECT_EQ(nearest("Eager", known), "eager");
  EXPECT_EQ(nearest("mien", known), "mine");
  EXPECT_EQ(nearest("eager", known), "eager");
}

TEST(Nearest, FindsTheShortestNameThatHoldsTheWord) {
  const std::vector<std::string> known = {"cos", "convolution", "my_conv", "conv2d", "native_norm"};
  EXPECT_EQ(nearest("conv", known), "conv2d");
  EXPECT_EQ(nearest("Norm", known), "native_norm");
}

TEST(Nearest, FindsNoneWhereAThirdOfTheLettersWouldChange) {
  const std::vector<std::string> known = {"copy", "cos", "sin", "add"};
  for (const char* other : {"topk", "conv", "std", "xy"})
    EXPECT_EQ(nearest(other, known), "") << other;
  EXPECT_EQ(nearest("ad", known), "add");
}

TEST(Nearest, FindsNoneWhereNoneIsNear) {
  const std::vector<std::string> known = {"eager", "inductor", "a"};
  EXPECT_EQ(nearest("cuda", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace vitro
