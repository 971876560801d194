#include "base/given_location.h"

#include <gtest/gtest.h>

#include <string>

#include "vitro/base/error.h"

namespace vitro {
namespace {

TEST(GivenLocation, reads_like_that_of_code) {
  std::string file = "/models/bert.py";
  const std::source_location where = given_location(file, 12, "BertLayer.forward");
  file = "changed";
  EXPECT_STREQ(where.file_name(), "/models/bert.py");
  EXPECT_EQ(where.line(), 12U);
  EXPECT_EQ(where.column(), 0U);
  EXPECT_EQ(call_location(where), "bert.py:12 in BertLayer.forward");
}

TEST(GivenLocation, without_a_function_has_none) {
  EXPECT_EQ(call_location(given_location("a.py", 3, "")), "a.py:3");
}

TEST(GivenLocation, of_equal_texts_is_the_same_place) {
  const auto one = given_location("a.py", 3, "f"), two = given_location("a.py", 3, "f");
  EXPECT_EQ(one.file_name(), two.file_name());
  EXPECT_EQ(one.function_name(), two.function_name());
  EXPECT_NE(given_location("a.py", 4, "f").line(), one.line());
}

}  // namespace
}  // namespace vitro
