#include "vitro/base/option.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "vitro/base/error.h"
#include "vitro/base/variables.h"

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
    EXPECT_STREQ(e.what(), "VITRO_TEST_WORD: got \"many\", needs an integer");
  }
}

TEST(Option, keeps_its_default_where_the_variable_has_no_such_value) {
  setenv("VITRO_TEST_LIMIT", "-3", 1);
  Option<int64_t> limit{"VITRO_TEST_LIMIT", 7, "a limit for this test", 0};
  testing::internal::CaptureStderr();
  EXPECT_EQ(limit.get(), 7);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "vitro warning: VITRO_TEST_LIMIT: got -3, needs an integer of at least 0; keeping 7\n");
}

TEST(Option, refuses_a_number_below_the_least_and_a_word_for_a_switch) {
  Option<int64_t> size{"VITRO_TEST_SIZE", 7, "a size for this test", 1};
  EXPECT_THROW(size.parse("0"), Error);
  size.parse("1");
  EXPECT_EQ(size.get(), 1);
  Option<bool> on{"VITRO_TEST_ON", false, "a switch for this test"};
  on.parse("yes");
  EXPECT_TRUE(on.get());
  try {
    on.parse("maybe");
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "VITRO_TEST_ON: got \"maybe\", needs 1 or 0 (also true, on, yes; false, off, no)");
  }
  EXPECT_TRUE(on.get());
}

TEST(Option, says_which_variables_nobody_reads_and_which_were_meant) {
  Option<bool> one{"VITRO_TEST_OPTION_OF_MINE", false, "a switch for this test"};
  KnownVariable other("VITRO_HANDED_ON");
  Option<bool> logs{"VITRO_LOUD", false, "a switch for this test"};
  const char* const environment[] = {
      "PATH=/bin",    "VITRO_HANDED_ON=1",        "VITRO_TEST_ANYTHING=1", "VITRO_LOUDD=a=b",
      "VITRO_LOUD=1", "VITRO_WHATEVER_THIS_IS=1", "VITROTHING=1",          nullptr};
  EXPECT_EQ(unknown_variables(environment),
            (std::vector<std::string>{"VITRO_LOUDD is not a variable that Vitro reads; did you "
                                      "mean VITRO_LOUD? `vitro options` lists them",
                                      "VITRO_WHATEVER_THIS_IS is not a variable that Vitro reads; "
                                      "`vitro options` lists them"}));
}

}  // namespace
}  // namespace vitro
