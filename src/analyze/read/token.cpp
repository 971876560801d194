#include "analyze/read/token.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace vitro::analyze {
namespace {

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Decodes "\uXXXX" at the front, joining surrogates; U+FFFD if invalid.  Consumes what it read.
uint32_t take_code(std::string_view& text) {
  const auto four = [&](size_t at) -> int64_t {
    uint32_t code = 0;
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return -1;
    const char* digits = text.data() + at + 2;
    const auto end = std::from_chars(digits, digits + 4, code, 16);
    return end.ptr == digits + 4 ? code : -1;
  };
  constexpr uint32_t replacement = 0xfffd;
  const int64_t first = four(0);
  if (first < 0) return text.remove_prefix(std::min<size_t>(text.size(), 2)), replacement;
  if (first < 0xd800 || first > 0xdfff) return text.remove_prefix(6), static_cast<uint32_t>(first);
  const int64_t second = four(6);
  const bool pair = first < 0xdc00 && second >= 0xdc00 && second <= 0xdfff;
  text.remove_prefix(pair ? 12 : 6);
  if (!pair) return replacement;
  return static_cast<uint32_t>(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
}

}  // namespace

std::string unescaped(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string out;
  while (!text.empty()) {
    if (text[0] != '\\' || text.size() == 1) {
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    if (text[1] == 'u') {
      append_utf8(out, take_code(text));
      continue;
    }
    constexpr std::string_view letters = "bfnrt", meanings = "\b\f\n\r\t";
    const size_t known = letters.find(text[1]);
    out += known == std::string_view::npos ? text[1] : meanings[known];
    text.remove_prefix(2);
  }
  return out;
}

}  // namespace vitro::analyze
