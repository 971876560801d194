#include "report/utf8.h"

namespace vitro::report {

Character next_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {-1, 1};
  int32_t code = first & (0xff >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {-1, 1};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < smallest[length] || code > 0x10ffff || surrogate) return {-1, 1};
  return {code, length};
}

bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character c = next_character(text.substr(at));
    if (c.code < 0) return false;
    at += c.length;
  }
  return true;
}

std::string as_utf8(std::string_view text) {
  std::string valid;
  for (size_t at = 0; at < text.size();) {
    const Character c = next_character(text.substr(at));
    valid += c.code < 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, c.length);
    at += c.length;
  }
  return valid;
}

}  // namespace vitro::report
