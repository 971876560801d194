#include "vitro/core/scalar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace vitro {
namespace {

std::vector<std::string> texts(const sym::GuardSink& sink) {
  std::vector<std::string> out;
  for (const sym::Guard& guard : sink.guards()) out.push_back(guard.text());
  return out;
}

struct NumberOfASize : testing::Test {
  Scalar n = Size(4, sym::Expr::symbol("s0"));
  sym::GuardSink sink;
};

TEST_F(NumberOfASize, is_asked_for_no_more_than_is_said) {
  EXPECT_EQ(n.hint(), Scalar(4));
  EXPECT_EQ(n.size().hint(), 4);
  EXPECT_TRUE(n.as_bool());  // the symbol is known to be at least 1
  EXPECT_TRUE(sink.guards().empty());
  EXPECT_FALSE(n.is(3));
  EXPECT_EQ(texts(sink), std::vector<std::string>{"s0 != 3"});
}

TEST_F(NumberOfASize, is_pinned_where_it_is_taken_as_a_plain_one) {
  EXPECT_EQ(n.as_int(), 4);
  EXPECT_EQ(texts(sink), std::vector<std::string>{"s0 == 4"});
}

TEST_F(NumberOfASize, is_pinned_where_it_is_taken_as_a_floating_one) {
  EXPECT_EQ(n.as_double(), 4.0);
  EXPECT_EQ(texts(sink), std::vector<std::string>{"s0 == 4"});
}

TEST(Number, says_whether_it_is_one) {
  EXPECT_TRUE(Scalar(2.0).is(2));
  EXPECT_FALSE(Scalar(2.5).is(2));
  EXPECT_TRUE(Scalar(true).is(1));
  EXPECT_EQ(Scalar(2.5).size().hint(), 2);
  EXPECT_FALSE(Scalar(-0.0).as_bool());
}

}  // namespace
}  // namespace vitro
