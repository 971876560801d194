// Decodes UTF-8 one character at a time from arbitrary text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vitro::report {

struct Character {
  int32_t code;   // -1: no character begins at this byte
  size_t length;  // bytes, at least 1
};

// The character at the beginning of `text`, which must not be empty.  Overlong forms, surrogates
// and truncated sequences are rejected.
Character next_character(std::string_view text);

bool is_utf8(std::string_view text);

// The text with U+FFFD for each invalid byte.
std::string as_utf8(std::string_view text);

}  // namespace vitro::report
