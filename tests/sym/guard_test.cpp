#include <gtest/gtest.h>

#include "vitro/sym/size.h"

namespace vitro::sym {
namespace {

std::vector<std::string> texts(const GuardSink& sink) {
  std::vector<std::string> all;
  for (const Guard& guard : sink.guards()) all.push_back(guard.text());
  return all;
}

struct Guards : testing::Test {
  Size n{4, Expr::symbol("s0")}, m{6, Expr::symbol("s1")};
  Size more{4, Expr::symbol("two_or_more_a", {2, unbounded})};
};

TEST_F(Guards, remember_each_answer_once) {
  GuardSink sink;
  EXPECT_TRUE(n == 4);
  EXPECT_TRUE(4 == n);
  EXPECT_FALSE(n == m);
  EXPECT_FALSE(m == n);
  EXPECT_TRUE(n < 8);
  EXPECT_TRUE(m >= 5);
  EXPECT_EQ(texts(sink), (std::vector<std::string>{"s0 == 4", "s0 != s1", "s0 < 8", "s1 >= 5"}));
}

TEST_F(Guards, do_not_keep_what_always_holds) {
  GuardSink sink;
  EXPECT_TRUE(n > 0);
  EXPECT_FALSE(n == 0);
  EXPECT_TRUE(n + m - n == m);
  EXPECT_TRUE(n * m >= m);
  EXPECT_TRUE(more > 1);
  EXPECT_TRUE(more * m > m);
  EXPECT_TRUE(Size(3) < 4);
  EXPECT_TRUE(sink.guards().empty());
}

TEST_F(Guards, a_conversion_to_a_number_pins_it) {
  GuardSink sink;
  const int64_t rows = n * 2;
  EXPECT_EQ(rows, 8);
  EXPECT_EQ(m.hint(), 6);  // adds no guard
  EXPECT_EQ(texts(sink), std::vector<std::string>{"2*s0 == 8"});
  EXPECT_EQ(m.value(), 6);
  EXPECT_EQ(texts(sink), (std::vector<std::string>{"2*s0 == 8", "s1 == 6"}));
}

TEST_F(Guards, are_heard_by_the_innermost_sink) {
  GuardSink outer;
  {
    GuardSink inner;
    EXPECT_TRUE(n < m);
    EXPECT_EQ(inner.guards().size(), 1u);
  }
  EXPECT_TRUE(outer.guards().empty());
  EXPECT_EQ(GuardSink::current(), &outer);
}

TEST_F(Guards, hold_for_other_numbers_or_do_not) {
  GuardSink sink;
  EXPECT_TRUE(n < m);
  EXPECT_TRUE(m % 3 == 0);
  const auto bound = [&](int64_t a, int64_t b) {
    return [&, a, b](Expr symbol) { return symbol == n.expr() ? a : b; };
  };
  EXPECT_TRUE(sink.guards()[0].holds(bound(5, 9)));
  EXPECT_FALSE(sink.guards()[0].holds(bound(9, 9)));
  EXPECT_TRUE(sink.guards()[1].holds(bound(5, 9)));
  EXPECT_FALSE(sink.guards()[1].holds(bound(5, 8)));
  EXPECT_TRUE(sink.take().size() == 2);
}

}  // namespace
}  // namespace vitro::sym
