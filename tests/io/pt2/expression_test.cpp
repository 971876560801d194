// Expressions of exported programs: the three forms in which they are written, Python's meaning of
// their operators, and texts that are none.
#include "io/pt2/expression.h"

#include <gtest/gtest.h>

#include <map>

#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

using Values = std::map<std::string, Scalar>;

Scalar value(std::string_view text, const Values& values = {}) {
  const auto e = parse_expression(text);
  if (!e) throw_error(cat(text, ": ", e.why()));
  return evaluate(*e, [&](const Expression& leaf) { return values.at(cat(leaf)); });
}
int64_t whole(std::string_view text, const Values& values = {}) {
  return value(text, values).as_int();
}
bool holds(std::string_view text, const Values& values = {}) {
  return value(text, values).as_bool();
}
std::string printed(std::string_view text) {
  return cat(*parse_expression(text));
}
std::string why(std::string_view text) {
  const auto e = parse_expression(text);
  return e ? "" : e.why();
}

TEST(Expression, of_sympy) {
  const Values at{{"s9", 5}, {"u0", 3}};
  const std::string s9 = "Symbol('s9', positive=True, integer=True)";
  EXPECT_EQ(whole(s9, at), 5);
  EXPECT_EQ(whole(cat("Mul(Integer(2), ", s9, ", Symbol('u0', integer=True))"), at), 30);
  EXPECT_EQ(whole(cat("Add(", s9, ", Integer(-7), Integer(1))"), at), -1);
  EXPECT_EQ(whole(cat("FloorDiv(", s9, ", Integer(3))"), at), 1);
  EXPECT_EQ(whole(cat("Mod(", s9, ", Integer(3))"), at), 2);
  EXPECT_EQ(whole(cat("Max(Integer(1), Min(Integer(4), ", s9, "))"), at), 4);
  EXPECT_EQ(whole(cat("Pow(", s9, ", Integer(2))"), at), 25);
  EXPECT_EQ(whole(cat("TruncToInt(Mul(Float('1.5', precision=53), ToFloat(", s9, ")))"), at), 7);
  EXPECT_TRUE(holds(
      cat("And(GreaterThan(", s9, ", Integer(1)), Not(Equality(", s9, ", Integer(2))))"), at));
  EXPECT_EQ(whole("ModularIndexing(Integer(17), Integer(3), Integer(4))"), 1);
  EXPECT_EQ(whole("CeilDiv(Integer(7), Integer(2))"), 4);
}

TEST(Expression, of_guards) {
  const Values at{{"L['ids'].size()[1]", 6},
                  {"L['x'].size()[0]", 2},
                  {"L['d']['a'][0]", 4},
                  {"L['x'].stride()[1]", 9}};
  EXPECT_TRUE(holds("1 + (L['ids'].size()[1] // 2) <= L['x'].size()[0] * 2", at));
  EXPECT_TRUE(
      holds("L[\"ids\"].size()[1]*min(4, 4*L['ids'].size()[1]) == 4*L['ids'].size()[1]", at));
  EXPECT_TRUE(holds("math.trunc(0.5*torch.sym_float(L['ids'].size()[1])) == 3", at));
  EXPECT_TRUE(holds("L['d']['a'][0] % 3 != 0 and not L['x'].stride()[1] < 9", at));
  EXPECT_TRUE(holds("2 <= L['x'].size()[0] <= 2 < 3", at));
  EXPECT_FALSE(holds("2 < L['x'].size()[0] <= 2", at));
}

TEST(Expression, has_the_meaning_of_python) {
  EXPECT_EQ(whole("-7 // 2"), -4);
  EXPECT_EQ(whole("-7 % 2"), 1);
  EXPECT_EQ(whole("7 % -2"), -1);
  EXPECT_EQ(whole("-2 ** 2"), -4);
  EXPECT_EQ(whole("2 ** 3 ** 2"), 512);
  EXPECT_EQ(whole("2 - 3 - 4"), -5);
  EXPECT_EQ(whole("1 + 2 * 3"), 7);
  EXPECT_EQ(value("7 / 2").as_double(), 3.5);
  EXPECT_EQ(value("2 ** -1").as_double(), 0.5);
  EXPECT_EQ(whole("round(2.5)"), 2);
  EXPECT_EQ(value("-7.5 % 2").as_double(), 0.5);
  EXPECT_TRUE(holds("1 == 2 or 3 > 2 and 2 != 1"));
  // What follows the operand that decides has no meaning.
  EXPECT_FALSE(holds("False and 1 % 0 == 0"));
  EXPECT_TRUE(holds("True or 1 % 0 == 0"));
}

TEST(Expression, prints_as_python) {
  EXPECT_EQ(printed("Mul(Integer(2), Symbol('s9', integer=True))"), "2*s9");
  EXPECT_EQ(printed("Mul(Integer(2), Add(Symbol('s9'), Integer(1)))"), "2*(s9 + 1)");
  EXPECT_EQ(printed("s1 - (s2 - 1)"), "s1 - (s2 - 1)");
  EXPECT_EQ(printed("not L['x'].size()[0] == -1"), "not L['x'].size()[0] == -1");
  EXPECT_EQ(printed("Max(1, FloorDiv(s0, 2))"), "max(1, s0 // 2)");
  EXPECT_EQ(symbols_of(*parse_expression("s1*s0 + s1")), (std::vector<std::string>{"s1", "s0"}));
}

TEST(Expression, refuses_what_has_no_value) {
  EXPECT_THROW(value("1 // 0"), Error);
  EXPECT_THROW(value("1 % 0"), Error);
  EXPECT_THROW(value("9223372036854775807 + 1"), Error);
  EXPECT_THROW(value("(-9223372036854775807 - 1) // -1"), Error);
  EXPECT_THROW(value("10 ** 19"), Error);
  EXPECT_THROW(value("3 ** 9223372036854775807"), Error);
  EXPECT_THROW(value("int(1e300)"), Error);
  EXPECT_THROW(value("1 << 100"), Error);
  EXPECT_EQ(whole("(-1) ** 9223372036854775807"), -1);
}

TEST(Expression, that_is_none_says_where) {
  EXPECT_EQ(why(""), "character 0: expected a name, got the end");
  EXPECT_EQ(why("1 +"), "character 3: expected a name, got the end");
  EXPECT_EQ(why("(1"), "character 2: expected \")\", got the end");
  EXPECT_EQ(why("s0 s1"), "character 3: expected an operator or the end, got \"s1\"");
  EXPECT_EQ(why("__import__('os')"), "character 11: expected a name, got \"'os')\"");
  EXPECT_EQ(why("eval(1)"),
            "character 7: expected a function of numbers instead of eval, got the end");
  EXPECT_EQ(why("L['x'].numpy()"),
            "character 14: expected size() or stride() instead of numpy(), got the end");
  EXPECT_EQ(why("L['x"), "character 2: expected the end of a text, got \"'x\"");
  EXPECT_EQ(why("99999999999999999999"),
            "character 0: expected a number of 64 bits, got \"99999999999999999999\"");
  EXPECT_NE(why("FloorDiv(1)"), "");
}

TEST(Expression, of_any_depth_is_no_crash) {
  for (const std::string_view part : {"(", "-", "not ", "Add(", "L[", "1+(", "2**", "abs("}) {
    std::string text;
    while (text.size() < (1 << 20)) text += part;
    EXPECT_NE(why(text), "") << part;
  }
  for (const std::string_view part : {"+1", "-1", "//1", " == 1", " and 1", "<<1"}) {
    std::string text = "1";
    while (text.size() < (1 << 20)) text += part;
    const auto e = parse_expression(text);
    EXPECT_TRUE(e ? e->operands.size() > 1000 : !e.why().empty()) << part;
  }
  EXPECT_EQ(whole("1+2+3*4*5+6"), 69);
}

}  // namespace
}  // namespace vitro::io
