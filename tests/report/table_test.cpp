#include "vitro/report/table.h"

#include <gtest/gtest.h>

#include "vitro/base/error.h"
#include "vitro/report/units.h"

namespace vitro::report {

TEST(Table, aligns_columns) {
  Table table({{"Name", Align::left}, {"Calls"}});
  table.row({"aten::mm", "2"});
  table.row({"add", "1234567"});
  EXPECT_EQ(table.text(),
            "--------  -------\n"
            "Name        Calls\n"
            "--------  -------\n"
            "aten::mm        2\n"
            "add       1234567\n"
            "--------  -------\n");
}

TEST(Table, measures_characters_as_a_terminal_shows_them) {
  EXPECT_EQ(display_width("é"), 1u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("\xff"), 1u);
  Table table({{"N", Align::left}, {"C"}});
  table.row({"漢", "1"});
  table.row({"ab", "2"});
  EXPECT_NE(table.text().find("漢  1\nab  2\n"), std::string::npos);
}

TEST(Table, shortens_to_whole_characters) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abcde…");
  EXPECT_EQ(shorten("漢字漢字", 4), "漢…");
  Table table({{"Name", Align::left, 8}});
  table.row({"a name that is too long"});
  EXPECT_NE(table.text().find("a name …\n"), std::string::npos);
}

TEST(Table, keeps_each_row_on_one_line) {
  Table table({{"Name", Align::left}});
  table.row({"a\nb\tc\033[31m"});
  EXPECT_NE(table.text().find("a b c [31m\n"), std::string::npos);
}

TEST(Table, colours_only_when_asked) {
  Table table({{"Name"}});
  table.row({Cell("slow", Colour::red)});
  EXPECT_EQ(table.text().find('\033'), std::string::npos);
  EXPECT_NE(table.text(true).find("\033[31mslow\033[0m"), std::string::npos);
}

TEST(Table, takes_rows_with_one_cell_for_each_column) {
  Table table({{"A"}, {"B"}});
  EXPECT_THROW(table.row({"1"}), Bug);
}

TEST(Units, are_chosen_by_size) {
  EXPECT_EQ(time_text(950), "950ns");
  EXPECT_EQ(time_text(12'345), "12.345us");
  EXPECT_EQ(time_text(2e9), "2.000s");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(-2097152), "-2.00 MiB");
  EXPECT_EQ(count_text(4'560'000), "4.56 M");
  EXPECT_EQ(percent_text(1, 8), "12.50%");
  EXPECT_EQ(percent_text(1, 0), "-");
}

}  // namespace vitro::report
