#include "vitro/base/split.h"

#include <algorithm>

namespace vitro {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

size_t past_quotes(std::string_view text, size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

size_t find_outside(std::string_view text, char wanted, size_t from) {
  int depth = 0;
  for (size_t i = from; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = past_quotes(text, i);
      continue;
    }
    if (depth == 0 && c == wanted) return i;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) return std::string_view::npos;
    ++i;
  }
  return std::string_view::npos;
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  text = trimmed(text);
  if (text.empty()) return parts;
  size_t begin = 0;
  for (;;) {
    const size_t end = find_outside(text, ',', begin);
    parts.push_back(trimmed(text.substr(begin, end == text.npos ? text.npos : end - begin)));
    if (end == text.npos) return parts;
    begin = end + 1;
  }
}

}  // namespace vitro
