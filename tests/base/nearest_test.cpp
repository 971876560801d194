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

TEST(Nearest, FindsNoneWhereNoneIsNear) {
  const std::vector<std::string> known = {"eager", "inductor", "a"};
  EXPECT_EQ(nearest("cuda", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("x", {}), "");
}

}  // namespace
}  // namespace vitro
