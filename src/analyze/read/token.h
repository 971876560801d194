// Values of JSON as they are written.
#pragma once

#include <string>
#include <string_view>

namespace vitro::analyze {

// A text without its quotes, its escapes as they are; what is no text as it is.
inline std::string_view unquoted(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return token;
  return token.substr(1, token.size() - 2);
}

// The inside of a text without its escapes.
std::string unescaped(std::string_view text);

// What a token says: texts without quotes and escapes.
inline std::string said(std::string_view token) {
  return unescaped(unquoted(token));
}

}  // namespace vitro::analyze
