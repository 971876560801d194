// A tokenizer for graph text; it does not know graphs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::graph {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  void skip_space();
  bool at_end();
  // Each skips white space first.  If the text does not match, it returns nothing (or false) and
  // does not advance further.
  bool take(std::string_view word);
  std::string_view name();  // letters, digits, '_', '.'; empty if there are none
  std::optional<int64_t> integer();
  // The text between an opening bracket here and its closing one; brackets in quotes do not count.
  std::optional<std::string_view> enclosed(char open, char close);
  // The words after "#" up to the end of the line, unquoted; empty without a comment.
  std::vector<std::string> comment();
  // The current line, from 1.
  size_t line() const;

 private:
  std::optional<std::string> word();
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace vitro::graph
