#include "vitro/base/called_as.h"

#include <gtest/gtest.h>

#include <thread>

#include "vitro/base/error.h"
#include "vitro/base/function_name.h"

namespace vitro {
namespace {

std::string said(std::string mistake) {
  try {
    throw_error(std::move(mistake));
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(CalledAs, names_what_the_program_called_and_where) {
  EXPECT_EQ(said("index: 7 is out of range"), "index: 7 is out of range");
  const auto here = std::source_location::current();
  {
    const CalledAs outer("take", here);
    const CalledAs inner("index_select");
    EXPECT_EQ(said("index: 7 is out of range"),
              cat("take: 7 is out of range (called_as_test.cpp:", here.line(), " in ",
                  function_name(here.function_name()), ")"));
  }
  const CalledAs again("add", {}, true);
  EXPECT_EQ(said("add: sizes differ"), "add_: sizes differ");
  EXPECT_EQ(said("add_: sizes differ"), "add_: sizes differ");
}

TEST(CalledAs, leaves_what_names_no_op_as_it_is) {
  const CalledAs name("take");
  for (const char* text : {"take.x(): got 7", "the data-dependent size: u0", ": nothing", "",
                           "model.safetensors: is short", "index:7"})
    EXPECT_EQ(said(text), text);
}

TEST(CalledAs, is_put_aside_for_what_was_called_before) {
  const CalledAs name("median");
  {
    const CalledAs earlier(Called{"take", false, {}});
    EXPECT_EQ(said("index: 7"), "take: 7");
    const CalledAs nobody{Called()};
    EXPECT_EQ(said("index: 7"), "index: 7");
    const CalledAs another("put");
    EXPECT_EQ(said("index: 7"), "put: 7");
  }
  EXPECT_EQ(said("sort: 7"), "median: 7");
  EXPECT_EQ(CalledAs::current().name, "median");
  std::thread([] { EXPECT_TRUE(CalledAs::current().name.empty()); }).join();
}

}  // namespace
}  // namespace vitro
