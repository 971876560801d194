#include "vitro/base/result.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace vitro {
namespace {

TEST(Result, gives_its_value_as_a_name_as_a_constant_and_as_a_temporary) {
  Result<std::string> read("words");
  read.value() += "!";
  const Result<std::string>& same = read;
  EXPECT_EQ(same.value(), "words!");
  EXPECT_EQ(&same.value(), &*same);
  EXPECT_EQ(std::move(read).value(), "words!");
}

TEST(Result, without_a_value_throws_the_reason) {
  const Result<int> none = Failure{"trace.json: is empty"};
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(error_of([&] { return none.value(); }), "trace.json: is empty");
  EXPECT_EQ(error_of([&] { return *none; }), "trace.json: is empty");
}

}  // namespace
}  // namespace vitro
