// UTF-8, read one character at a time from text that may hold anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vitro::report {

struct Character {
  int32_t code;   // -1: the byte here begins no character
  size_t length;  // bytes, at least 1
};

// The character at the beginning of `text`, which is not empty.  Overlong forms, surrogates and cut
// ends are refused.
Character next_character(std::string_view text);

bool is_utf8(std::string_view text);

// The text with U+FFFD for each byte that begins no character.
std::string as_utf8(std::string_view text);

}  // namespace vitro::report
