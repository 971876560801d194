// Searches and splits text outside of brackets and double quotes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace vitro {

std::string_view trimmed(std::string_view text);  // without white space at both ends

// The position after the quoted text that begins at `at`; a backslash escapes the next character.
size_t past_quotes(std::string_view text, size_t at);

// The position of the first such character outside of brackets and quotes, or npos.
size_t find_outside(std::string_view text, char wanted, size_t from = 0);

// Splits at commas outside of brackets and quotes; pieces are trimmed.  Empty text has no pieces.
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace vitro
