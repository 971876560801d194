// Data sizes: questions that their bounds decide, and who answers the others.
#include <gtest/gtest.h>

#include "vitro/sym/size.h"

namespace vitro::sym {
namespace {

using Question = Guard::Question;

class ByData : public testing::Test {
 protected:
  const Expr s0 = Expr::symbol("s0"), u0 = Expr::data(0), u1 = Expr::data(1);
  const Size n{10, s0}, some{10, u0}, fewer{10, u1};
};

TEST_F(ByData, a_symbol_of_theirs_is_told_by_its_name) {
  EXPECT_TRUE(is_data(u0));
  EXPECT_TRUE(is_data(s0 + 2 * u0));
  EXPECT_FALSE(is_data(s0));
  EXPECT_FALSE(is_data(Expr::symbol("u")));
  EXPECT_FALSE(is_data(Expr(3)));
  EXPECT_EQ(u0.text(), "u0");
  EXPECT_EQ(range_of(u0), data_range);
}

TEST_F(ByData, ranges_answer_without_bounds) {
  EXPECT_FALSE(some < 0);
  EXPECT_TRUE(some + 1 > 0);
  EXPECT_TRUE(some == some);
  EXPECT_FALSE(some == some + 1);
  EXPECT_FALSE(some == -1);
}

TEST_F(ByData, nobody_knows_the_rest) {
  EXPECT_THROW((void)(some == 3), Undecided);
  EXPECT_THROW((void)(some == 0), Undecided);
  EXPECT_THROW((void)(some < n), Undecided);
  EXPECT_THROW((void)some.value(), Undecided);
}

TEST_F(ByData, bounds_answer_what_follows_from_them) {
  DataBounds bounds;
  bounds.add(u0, s0);
  bounds.add(u1, u0);
  EXPECT_FALSE(n < some);
  EXPECT_TRUE(some < n + 1);
  EXPECT_FALSE(n * 2 < some + fewer);
  EXPECT_FALSE(some == n + 1);
  EXPECT_EQ(bounds.decide(Question::less, u1, s0), std::nullopt);
  EXPECT_THROW((void)(some == n), Undecided);
  EXPECT_EQ(bounds.decide(Question::less, u0 * u0, s0), std::nullopt);
}

TEST_F(ByData, a_bound_of_0_is_the_number) {
  DataBounds bounds;
  bounds.add(u0, 0);
  EXPECT_EQ((some + 2).value(), 2);
  EXPECT_TRUE(some == 0);
}

TEST_F(ByData, answers_leave_no_guards) {
  GuardSink sink;
  DataBounds bounds;
  bounds.add(u0, s0);
  EXPECT_FALSE(n < some);
  EXPECT_TRUE(equal_in_layout(some, 10));
  EXPECT_TRUE(sink.guards().empty());
  EXPECT_TRUE(less_in_layout(n, 11));
  EXPECT_EQ(sink.guards().size(), 1U);
}

TEST_F(ByData, what_is_not_proven_equal_is_not_known_to_be) {
  EXPECT_FALSE(known_equal(some, 0));
  EXPECT_FALSE(known_equal(some, 1));
  EXPECT_TRUE(known_equal(some - some, 0));
  EXPECT_TRUE(known_equal(n, 10));  // answered by the hint, as for ordinary symbols
}

TEST_F(ByData, the_innermost_answers) {
  struct Three : DataSizes {
    bool answer(Question, Expr, Expr) override { return true; }
    int64_t number(Expr) override { return 3; }
  };
  const Three outer;
  EXPECT_EQ(some.value(), 3);
  {
    DataBounds inner;
    EXPECT_THROW((void)some.value(), Undecided);
  }
  EXPECT_TRUE(some == 7);
}

}  // namespace
}  // namespace vitro::sym
