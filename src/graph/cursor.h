// Reads graph text piece by piece; knows nothing of graphs.
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
  // Each skips white space first; nothing (or false) where the text goes on differently, and then
  // it stays there.
  bool take(std::string_view word);
  std::string_view name();  // letters, digits, '_', '.'; empty where there is none
  std::optional<int64_t> integer();
  // The text between the bracket at hand and the one that closes it, quotes respected.
  std::optional<std::string_view> enclosed(char open, char close);
  // "#" and then words up to the end of the line, quoted ones unquoted; empty without a comment.
  std::vector<std::string> comment();
  // Of the place at hand, from 1.
  size_t line() const;

 private:
  std::optional<std::string> word();
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace vitro::graph
