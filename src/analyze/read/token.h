// JSON values as written.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace vitro::analyze {

// A text without its quotes, escapes kept; other values unchanged.
inline std::string_view unquoted(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return token;
  return token.substr(1, token.size() - 2);
}

// The contents of a text with escapes decoded.
std::string unescaped(std::string_view text);

// The value of a token: texts without quotes and escapes.
inline std::string said(std::string_view token) {
  return unescaped(unquoted(token));
}

inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The text as a number, if all of it is one.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace vitro::analyze
