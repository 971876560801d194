#include "report/printable.h"

#include <gtest/gtest.h>

namespace vitro::report {

TEST(Printable, text_stays_what_it_is) {
  for (const char* const text : {"", "encoder.layer.0", "größe 漢字 \"a\" 'b' C:\\x", "\U0001f600"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, what_a_terminal_obeys_is_escaped) {
  EXPECT_EQ(printable("a\x1b[31mb\n\r\t\x7f\b"), "a\\x1b[31mb\\n\\r\\t\\x7f\\x08");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");  // U+009B begins a sequence as ESC [ does
}

TEST(Printable, bytes_that_are_no_character_are_escaped_one_by_one) {
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
}

TEST(Printable, hidden_characters_and_directions_are_shown) {
  EXPECT_EQ(printable("a\u202eb\u200b\u2028\ufeff"), "a\\u202eb\\u200b\\u2028\\ufeff");
  EXPECT_EQ(printable("\U000e0041"), "\\U000e0041");
}

}  // namespace vitro::report
