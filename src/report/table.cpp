// Lays out a text table by display width; table.h is its interface.
#include "vitro/report/table.h"

#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

#include "report/utf8.h"
#include "vitro/base/error.h"

namespace vitro::report {
namespace {

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::bold:
      return "\033[1m";
    case Colour::dim:
      return "\033[2m";
    case Colour::red:
      return "\033[31m";
    case Colour::green:
      return "\033[32m";
    case Colour::yellow:
      return "\033[33m";
    case Colour::blue:
      return "\033[34m";
  }
  return "";
}

size_t width_of(int32_t code) {
  return code < 0 ? 1 : static_cast<size_t>(std::max(0, utf8proc_charwidth(code)));
}

std::string without_controls(std::string text) {
  for (char& c : text) {
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return text;
}

void append_padded(std::string& line, const Cell& cell, const Column& column, size_t width,
                   bool colours) {
  const std::string spaces(width - display_width(cell.text), ' ');
  if (column.align == Align::right) line += spaces;
  const bool coloured = colours && cell.colour != Colour::none;
  if (coloured) line += code_of(cell.colour);
  line += cell.text;
  if (coloured) line += "\033[0m";
  if (column.align == Align::left) line += spaces;
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character c = next_character(text);
    width += width_of(c.code);
    text.remove_prefix(c.length);
  }
  return width;
}

std::string shorten(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  size_t used = 0, bytes = 0;
  while (true) {
    const Character c = next_character(text.substr(bytes));
    if (used + width_of(c.code) > width - 1) break;
    used += width_of(c.code);
    bytes += c.length;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

bool wants_colours(int file_descriptor) {
  const char* none = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal && std::string_view(terminal) == "dumb";
  return isatty(file_descriptor) == 1 && !(none && *none) && !dumb;
}

void Table::row(std::vector<Cell> cells) {
  VITRO_ASSERT(cells.size() == columns_.size(), "a row has as many cells as the table has columns");
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i].text = without_controls(std::move(cells[i].text));
    if (columns_[i].max_width) cells[i].text = shorten(cells[i].text, columns_[i].max_width);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text(bool colours) const {
  std::vector<size_t> widths;
  std::vector<Cell> names, dashes;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = display_width(columns_[i].name);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
    names.emplace_back(columns_[i].name, Colour::bold);
    dashes.emplace_back(std::string(width, '-'));
  }
  std::string lines;
  const auto append = [&](const std::vector<Cell>& cells) {
    const size_t begin = lines.size();
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) lines += "  ";
      append_padded(lines, cells[i], columns_[i], widths[i], colours);
    }
    lines.resize(std::max(begin, lines.find_last_not_of(' ') + 1));
    lines += '\n';
  };
  append(dashes);
  append(names);
  append(dashes);
  for (const auto& row : rows_) append(row);
  append(dashes);
  return lines;
}

}  // namespace vitro::report
