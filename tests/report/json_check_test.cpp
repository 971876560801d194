#include "vitro/report/json_check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace vitro::report {

TEST(JsonCheck, takes_what_is_json) {
  for (const char* text :
       {"0", " -1.5e+3 ", "\"\"", R"("\u00e9 \" \\ é")", "[]", "[1, [2], {}]", "null",
        R"({"a": {"b": [true, false, null]}, "": 1E-2})", "\t{\n}\r\n"}) {
    EXPECT_TRUE(can_be_json(text)) << text;
  }
}

TEST(JsonCheck, says_where_it_is_invalid) {
  EXPECT_EQ(can_be_json("").why, "it ends too early");
  EXPECT_EQ(can_be_json("[1, 2").why, "it ends too early");
  EXPECT_EQ(can_be_json("{\"a\": 1,}").why, "byte 9 is wrong");
  EXPECT_EQ(can_be_json("{a: 1}").why, "byte 2 is wrong");
  EXPECT_EQ(can_be_json("01").why, "byte 2 is wrong");
  EXPECT_EQ(can_be_json("\"a\nb\"").why, "byte 3 is wrong");
  EXPECT_EQ(can_be_json("\"\xff\"").why, "byte 2 is wrong");
  EXPECT_EQ(can_be_json("1 2").why, "byte 3 is wrong");
  EXPECT_FALSE(can_be_json(std::string(1000, '[') + std::string(1000, ']')));
}

TEST(JsonCheck, agrees_with_another_parser_on_random_changes) {
  const std::string whole = R"({"a": [1, -2.5e3, "x\n\u0041é"], "b": {"c": null, "d": true}})";
  std::mt19937 random(5);
  const std::string letters = "{}[]\",:\\0123-+.eEtfnu \nx";
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole;
    for (auto change = 1 + random() % 3; change > 0; --change) {
      const size_t at = random() % text.size();
      if (random() % 2) {
        text[at] = letters[random() % letters.size()];
      } else {
        text.erase(at, 1);
      }
    }
    EXPECT_EQ(bool(can_be_json(text)), nlohmann::json::accept(text)) << text;
  }
}

}  // namespace vitro::report
