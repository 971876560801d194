#include "vitro/base/counted.h"

#include <gtest/gtest.h>

namespace vitro {
namespace {

TEST(Counted, one_is_not_many) {
  EXPECT_EQ(counted(1, "call"), "1 call");
  EXPECT_EQ(counted(0, "call"), "0 calls");
  EXPECT_EQ(counted(2, "call"), "2 calls");
}

TEST(Counted, plurals_are_spelled_as_english_has_them) {
  EXPECT_EQ(counted(2, "launch"), "2 launches");
  EXPECT_EQ(counted(2, "pass"), "2 passes");
  EXPECT_EQ(counted(2, "entry"), "2 entries");
  EXPECT_EQ(counted(2, "way"), "2 ways");
  EXPECT_EQ(counted(2, "recorded op"), "2 recorded ops");
}

}  // namespace
}  // namespace vitro
