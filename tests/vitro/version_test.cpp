#include "vitro/version.h"

#include <gtest/gtest.h>

#include <regex>

TEST(Version, is_three_numbers) {
  EXPECT_TRUE(std::regex_match(std::string(vitro::version()), std::regex(R"(\d+\.\d+\.\d+)")));
}
