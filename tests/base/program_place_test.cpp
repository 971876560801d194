#include "base/program_place.h"

#include <gtest/gtest.h>

#include <string>

#include "base/given_location.h"
#include "vitro/base/error.h"

namespace vitro {

// Where the compiler finds a source of the library, as this file's folder shows.
std::string own_source(const std::string& name) {
  const std::string here = __FILE__;
  return here.substr(0, here.rfind("tests/")) + "src/" + name;
}

TEST(ProgramPlace, is_not_in_the_library) {
  const auto own = given_location(own_source("ops/statistics.cpp"), 255, "vitro::bincount");
  EXPECT_EQ(program_place(own).line(), 0U);
  EXPECT_EQ(file_and_line(own), "");
  EXPECT_EQ(call_location(own), "");
  const auto header =
      given_location("/usr/include/vitro/nn/linear.h", 7, "vitro::nn::Linear::forward");
  EXPECT_EQ(program_place(header).line(), 0U);
}

TEST(ProgramPlace, of_a_program_stays) {
  // A program in a folder of the same name, and one of Python.
  const auto of_folder = given_location(own_source("model.cpp"), 12, "Mlp::forward");
  EXPECT_EQ(file_and_line(of_folder), "model.cpp:12");
  EXPECT_EQ(file_and_line(given_location("/m/bert.py", 3, "forward")), "bert.py:3");
  EXPECT_NE(program_place(std::source_location::current()).line(), 0U);
}

}  // namespace vitro
