#include "vitro/core/schema.h"

#include <gtest/gtest.h>

#include <fstream>

#include "vitro/base/cat.h"

namespace vitro {
namespace {

TEST(Schema, of_aten_read_back_as_they_were_written) {
  std::ifstream file(VITRO_TEST_DATA "/aten/schemas.txt");
  int count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const Result<Schema> schema = parse_schema(line);
    ASSERT_TRUE(schema) << schema.why();
    EXPECT_EQ(cat(*schema), line);
  }
  EXPECT_GT(count, 700);
}

TEST(Schema, has_names_types_defaults_and_aliases) {
  const Schema s = parse_schema(
                       "f.over(Tensor(a!) self, Tensor?[] list, SymInt[2] size=[1, 1], *, float? "
                       "eps=None, str mode=\"a,b)\") -> (Tensor(a!) out, int)")
                       .value();
  EXPECT_EQ(s.full_name(), "f.over");
  ASSERT_EQ(s.arguments.size(), 5U);
  EXPECT_EQ(s.arguments[0].alias, (Alias{'a', true, false}));
  EXPECT_EQ(s.arguments[1].type, (ArgType{ArgKind::tensor, false, true, true, 0}));
  EXPECT_EQ(s.arguments[2].type, (ArgType{ArgKind::sym_int, false, true, false, 2}));
  EXPECT_EQ(s.arguments[2].default_text, "[1, 1]");
  EXPECT_FALSE(s.arguments[2].keyword_only);
  EXPECT_TRUE(s.arguments[3].keyword_only);
  EXPECT_EQ(s.argument("mode")->default_text, "\"a,b)\"");
  EXPECT_EQ(s.argument("nothing"), nullptr);
  ASSERT_EQ(s.results.size(), 2U);
  EXPECT_EQ(s.results[0].name, "out");
  EXPECT_EQ(s.results[1].type.kind, ArgKind::integer);
}

TEST(Schema, has_a_form_that_writes_in_place_where_the_result_is_that_of_self) {
  const auto form = [](std::string_view text) {
    const std::optional<Schema> out = in_place_form(parse_schema(text).value());
    return out ? cat(*out) : std::string();
  };
  EXPECT_EQ(form("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"),
            "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)");
  for (const char* none :
       {"pow.Scalar(Scalar self, Tensor exponent) -> Tensor",
        "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
        "ones_like(Tensor self, *, ScalarType? dtype=None) -> Tensor",
        "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
        "frexp(Tensor self) -> (Tensor mantissa, Tensor exponent)", "f() -> Tensor"})
    EXPECT_EQ(form(none), "") << none;
}

TEST(Schema, that_is_broken_is_refused_with_its_place) {
  EXPECT_EQ(parse_schema("f(Tensor self -> Tensor").why(),
            "schema \"f(Tensor self -> Tensor\": needs ')' at character 15");
  EXPECT_EQ(parse_schema("f(Tensr x) -> Tensor").why(),
            "schema \"f(Tensr x) -> Tensor\": needs a type, got 'Tensr' at character 8");
  for (const char* text : {"", "f", "f(", "f()", "f() ->", "f(Tensor) -> Tensor",
                           "f(Tensor( self) -> Tensor", "f(int x=) -> Tensor", "f() -> Tensor x y",
                           "f(int[ x) -> ()", "f(Tensor self,) -> Tensor"}) {
    EXPECT_FALSE(parse_schema(text)) << text;
  }
}

}  // namespace
}  // namespace vitro
