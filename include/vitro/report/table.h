// A text table for a terminal or a log.
//   report::Table table({{"Name", report::Align::left, 40}, {"Calls"}});
//   table.row({"aten::mm", "12"});
//   std::cout << table.text();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vitro::report {

enum class Align : uint8_t { left, right };
enum class Colour : uint8_t { none, bold, dim, red, green, yellow, blue };

struct Column {
  std::string name;
  Align align = Align::right;
  size_t max_width = 0;  // wider cells are cut and end in "…"; 0: never
};

struct Cell {
  std::string text;
  Colour colour = Colour::none;
  Cell(std::string text_, Colour colour_ = Colour::none)  // NOLINT(google-explicit-constructor)
      : text(std::move(text_)), colour(colour_) {}
  Cell(const char* text_) : text(text_) {}  // NOLINT(google-explicit-constructor)
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column.
  void row(std::vector<Cell> cells);

  // Lines ending in '\n': a rule, the names, a rule, the rows, a rule.  Control characters in cells
  // become spaces.
  std::string text(bool colours = false) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// The terminal columns of UTF-8 text: 2 for wide characters, 0 for combining ones.
size_t display_width(std::string_view text);

// `text` in at most `width` columns; if it is wider, its end is replaced by "…".
std::string shorten(std::string_view text, size_t width);

// Whether output to this file descriptor may use colours: it is a terminal, and neither NO_COLOR
// nor TERM=dumb is set.
bool wants_colours(int file_descriptor);

}  // namespace vitro::report
