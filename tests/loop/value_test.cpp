#include "loop/value.h"

#include <gtest/gtest.h>

#include "loop/kernel.h"
#include "loop/rewrite.h"
#include "vitro/base/cat.h"

namespace vitro::loop {
using sym::Expr;
namespace {

std::string text(Value v) {
  std::string out;
  append_to(out, v);
  return out;
}

TEST(Value, equal_expressions_are_one_node) {
  Pool pool;
  const Value x = pool.load(0, DType::f32, Expr::index("i", 8));
  EXPECT_TRUE(same(exp(x) * 2.0, exp(x) * 2.0));
  EXPECT_FALSE(same(exp(x) * 2.0, exp(x) * 3.0));
}

TEST(Value, a_literal_takes_the_type_of_the_other_side) {
  Pool pool;
  const Value x = pool.load(0, DType::i32, 0), y = pool.load(1, DType::f64, 0);
  EXPECT_EQ((x + 1.0).dtype(), DType::i32);
  EXPECT_EQ((2 * y).dtype(), DType::f64);
  EXPECT_EQ((x > 0.0).dtype(), DType::boolean);
}

TEST(Value, sums_and_products_of_bool_are_logical) {
  Pool pool;
  const Value a = pool.load(0, DType::boolean, 0), b = pool.load(1, DType::boolean, 0);
  EXPECT_EQ((a + b)->fn, Fn::or_);
  EXPECT_EQ((a * b)->fn, Fn::and_);
}

TEST(Value, constants_are_rounded_to_their_dtype) {
  Pool pool;
  EXPECT_TRUE(same(pool.constant(DType::f16, 1.0 / 3), pool.constant(DType::f16, 0.333251953125)));
  EXPECT_TRUE(same(pool.constant(DType::u8, int64_t{300}), pool.constant(DType::u8, int64_t{44})));
}

TEST(Value, prints_as_it_would_be_written) {
  Pool pool;
  const Value x = pool.load(0, DType::f32, Expr::index("i", 8) * 3 + 1);
  EXPECT_EQ(text(where(x > 0.0, x, exp(x) * 2.0)),
            "select(0.0 < b0[3*i + 1], b0[3*i + 1], exp(b0[3*i + 1]) * 2.0)");
}

TEST(Value, loads_where_a_condition_holds) {
  Pool pool;
  const Expr i = Expr::index("i", 8);
  const Value inside = pool.not_negative(i - 1) && pool.not_negative(-i + 5);
  const Value x = pool.load_where(0, DType::f32, i - 1, inside);
  EXPECT_EQ(text(x), "b0[i - 1 where (i - 1 >= 0) & (-i + 5 >= 0)]");
  EXPECT_TRUE(same(where(inside, x, like(x, 0)), x));
  const Value always = pool.not_negative(i), never = pool.not_negative(-i - 1);
  EXPECT_TRUE(same(pool.load_where(0, DType::f32, i, always), pool.load(0, DType::f32, i)));
  EXPECT_TRUE(same(pool.load_where(0, DType::f32, i, never), like(x, 0)));
  EXPECT_TRUE(same(inside && always, inside));
  EXPECT_TRUE(same(inside || always, always));
}

TEST(Value, replacing_a_part_keeps_the_rest) {
  Pool pool;
  const Value x = pool.load(0, DType::f32, 0), y = pool.load(1, DType::f32, 0), e = exp(x);
  std::unordered_map<const Node*, Value> with{{e.node(), y}};
  EXPECT_TRUE(same(replace(e * 2.0 + x, with), y * 2.0 + x));
}

}  // namespace
}  // namespace vitro::loop
