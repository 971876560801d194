#include "graph/names.h"

#include <algorithm>
#include <array>

namespace vitro::graph {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_reserved(std::string_view name) {
  static constexpr std::array<std::string_view, 14> words{
      "none", "true",   "false",    "None", "True", "False", "nan",
      "inf",  "return", "floordiv", "mod",  "min",  "max",   "infinity"};
  if (std::find(words.begin(), words.end(), name) != words.end()) return true;
  return name.size() > 1 && (name[0] == 's' || name[0] == 'u') &&
         std::all_of(name.begin() + 1, name.end(), is_digit);
}

}  // namespace

bool is_writable_name(std::string_view name) {
  return !name.empty() && is_letter(name[0]) && !is_reserved(name) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '.'; });
}

std::string writable_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (!is_letter(c) && !is_digit(c) && c != '.') c = '_';
  }
  if (out.empty() || !is_letter(out[0])) out.insert(0, 1, '_');
  if (is_reserved(out)) out += '_';
  return out;
}

}  // namespace vitro::graph
