#include <gtest/gtest.h>

#include "kineto/names.h"

namespace vitro::kineto {
namespace {

TEST(Steps, a_name_gives_the_number_it_was_made_of) {
  EXPECT_EQ(step_name(12), "ProfilerStep#12");
  for (const int64_t number : {int64_t{0}, int64_t{7}, INT64_MAX})
    EXPECT_EQ(step_number(step_name(number)), number);
}

TEST(Steps, other_names_have_no_number) {
  for (const std::string_view name :
       {"", "ProfilerStep", "ProfilerStep#", "ProfilerStep#-1", "ProfilerStep#1 ",
        "ProfilerStep#x1", "ProfilerStep#9223372036854775808", "profilerstep#1",
        "a ProfilerStep#1"})
    EXPECT_EQ(step_number(name), -1) << name;
}

}  // namespace
}  // namespace vitro::kineto
