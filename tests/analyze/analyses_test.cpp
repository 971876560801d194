#include "vitro/analyze/questions.h"

#include <gtest/gtest.h>

#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

TEST(Analyses, say_which_parameter_is_wrong) {
  constexpr Parameter known[] = {{"rows", "how many", "3", Parameter::Kind::number},
                                 {"deep", "deeper", "", Parameter::Kind::flag}};
  const Analysis analysis{"test", "a test", nullptr, known};
  Parameters parameters(analysis);
  EXPECT_EQ(parameters.number("rows"), 3);
  EXPECT_FALSE(parameters.flag("deep"));
  parameters.set("rows", "12");
  parameters.set("deep", "yes");
  EXPECT_EQ(parameters.number("rows"), 12);
  EXPECT_TRUE(parameters.flag("deep"));
  EXPECT_THROW(parameters.set("rows", "many"), Error);
  EXPECT_THROW(parameters.set("columns", "1"), Error);
  EXPECT_THROW(parameters.text("columns"), Error);
}

}  // namespace
}  // namespace vitro::analyze
