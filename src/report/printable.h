// Text of files as messages and terminals may show it: names in a file may be hostile.
#pragma once

#include <string>
#include <string_view>

namespace vitro::report {

// On one line, valid UTF-8, nothing that a terminal obeys: control characters, bytes that are no
// character, and characters that are invisible or turn the direction of text become escapes of
// Python's: "\n", "\x1b", "\u202e".  All else, quotes and backslashes among it, stays.
std::string printable(std::string_view text);

}  // namespace vitro::report
