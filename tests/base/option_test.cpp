#include "vitro/base/option.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "vitro/base/error.h"

namespace vitro {
namespace {

TEST(Option, reads_its_variable_when_first_asked_and_set_wins) {
  setenv("VITRO_TEST_NUMBER", "42", 1);
  Option<int64_t> number{"VITRO_TEST_NUMBER", 7, "a number for this test"};
  EXPECT_EQ(number.get(), 42);
  number.set(3);
  EXPECT_EQ(number.get(), 3);
}

TEST(Option, switches_understand_off) {
  for (const char* off : {"0", "false", "off", ""}) {
    setenv("VITRO_TEST_SWITCH", off, 1);
    EXPECT_FALSE((Option<bool>{"VITRO_TEST_SWITCH", true, "a switch for this test"}.get())) << off;
  }
}

TEST(Option, names_the_variable_of_a_text_that_is_no_number) {
  static Option<int64_t> number{"VITRO_TEST_WORD", 7, "a number for this test"};
  try {
    number.parse("many");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "VITRO_TEST_WORD: got \"many\", needs a whole number");
  }
}

}  // namespace
}  // namespace vitro
