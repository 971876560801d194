#include "analyze/read/scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace vitro::analyze {
namespace {

struct Looked {
  size_t bytes = 0, last_end = 0;
  bool left = false, inside = false;
};

// Scans the text in consecutive pieces of these sizes.
Looked look(std::string_view text, size_t piece) {
  Scan scan;
  Looked out;
  while (out.bytes < text.size() && !scan.left()) {
    size_t end = 0;
    const size_t looked = scan.through(text.substr(out.bytes, piece), &end);
    if (end != 0) out.last_end = out.bytes + end;
    out.bytes += looked;
  }
  out.left = scan.left();
  out.inside = scan.inside();
  return out;
}

TEST(Scan, finds_the_end_of_the_list_it_began_in) {
  const std::string text = R"( {"a": [1, {"b": 2}]}, {"c": 3} ], "after": {})";
  const Looked all = look(text, text.size());
  EXPECT_TRUE(all.left);
  EXPECT_EQ(text.substr(0, all.bytes), R"( {"a": [1, {"b": 2}]}, {"c": 3} ])");
  EXPECT_EQ(text.substr(0, all.last_end), R"( {"a": [1, {"b": 2}]}, {"c": 3})");
}

TEST(Scan, text_in_quotes_counts_for_nothing) {
  const std::string text = R"({"a": "}]{[", "b": "\"}", "c": "\\"}, {"d": "x\\\"}"}, {"open": "}})";
  const Looked all = look(text, text.size());
  EXPECT_FALSE(all.left);
  EXPECT_TRUE(all.inside);
  EXPECT_EQ(text.substr(0, all.last_end),
            R"({"a": "}]{[", "b": "\"}", "c": "\\"}, {"d": "x\\\"}"})");
}

TEST(Scan, pieces_of_any_size_give_the_same) {
  std::mt19937 random(1);
  constexpr std::string_view letters = "{}[]\"\\a, ";
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += letters[random() % letters.size()];
    const Looked all = look(text, text.size());
    for (const size_t piece : {1, 2, 7, 63, 64, 65, 130}) {
      const Looked cut = look(text, piece);
      ASSERT_EQ(cut.bytes, all.bytes) << text << " in pieces of " << piece;
      ASSERT_EQ(cut.last_end, all.last_end) << text << " in pieces of " << piece;
      ASSERT_EQ(cut.left, all.left);
      ASSERT_TRUE(all.left || cut.inside == all.inside);
    }
  }
}

TEST(Scan, knows_the_length_of_one_value) {
  EXPECT_EQ(value_length(R"({"a": "}\"}", "b": [{}]}, {)"), 24U);
  EXPECT_EQ(value_length(R"({"a": "}")"), 0U);
  EXPECT_EQ(value_length("{}"), 2U);
}

}  // namespace
}  // namespace vitro::analyze
