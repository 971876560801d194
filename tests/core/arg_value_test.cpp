#include "vitro/core/arg_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vitro {
namespace {

std::optional<ArgValue> read(std::string_view text) {
  return read_value(text, [](std::string_view name) {
    return name == "s0" ? sym::Expr::symbol("s0") : sym::Expr();
  });
}

TEST(ArgValue, reads_back_what_it_writes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Size size(0, sym::Expr::symbol("s0") * 2 + 1);
  for (const ArgValue& value : std::vector<ArgValue>{
           {},
           Scalar(3),
           Scalar(3.0),
           Scalar(-0.0),
           Scalar(1e300),
           Scalar(true),
           Scalar(nan),
           Scalar(-nan),
           Scalar::from_bits(Scalar::Kind::floating, 0x7ff8000000000123),
           Scalar(INT64_MIN),
           Scalar(size),
           std::string("a \"b\" \\ c"),
           std::string(),
           DType::bf16,
           DType::boolean,
           std::vector<Scalar>{},
           std::vector<Scalar>{1, 0.5, false, size},
       }) {
    const auto again = read(text_of(value));
    ASSERT_TRUE(again) << text_of(value);
    EXPECT_TRUE(same_value(*again, value)) << text_of(value) << " and " << text_of(*again);
  }
}

TEST(ArgValue, is_written_as_schemas_write_it) {
  EXPECT_EQ(text_of(ArgValue()), "None");
  EXPECT_EQ(text_of(Scalar(true)), "True");
  EXPECT_EQ(text_of(std::vector<Scalar>{1, 2}), "[1, 2]");
  EXPECT_EQ(text_of(std::string("none")), "\"none\"");
  EXPECT_EQ(text_of(DType::f16), "f16");
  EXPECT_TRUE(same_value(*read("'none'"), std::string("none")));
  EXPECT_TRUE(same_value(*read("true"), Scalar(true)));
  EXPECT_TRUE(same_value(*read("float32"), DType::f32));
}

TEST(ArgValue, is_not_read_from_anything_else) {
  for (const char* text : {"", "x", "[", "[1", "[x]", "[1, \"a\"]", "\"", "\"a\"b\"", "1 2", "f31"})
    EXPECT_FALSE(read(text)) << text;
}

TEST(ArgValue, differs_by_kind_and_bits) {
  EXPECT_FALSE(same_value(Scalar(1), Scalar(1.0)));
  EXPECT_FALSE(same_value(Scalar(0.0), Scalar(-0.0)));
  EXPECT_FALSE(same_value(std::string("1"), Scalar(1)));
  EXPECT_FALSE(same_value(Tensor::empty({2}), Tensor::empty({2})));
}

}  // namespace
}  // namespace vitro
