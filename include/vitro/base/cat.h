// Converts values to text and concatenates them: cat("got ", 3, " rows") == "got 3 rows".
// A type supports this with a function `void append_to(std::string&, const T&)` that
// argument-dependent lookup finds.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace vitro {

inline void append_to(std::string& out, std::string_view text) {
  out.append(text);
}
inline void append_to(std::string& out, char c) {
  out.push_back(c);
}
inline void append_to(std::string& out, const char* text) {
  out.append(text);
}
template <std::same_as<bool> B>  // exactly bool: pointers must not convert to it
void append_to(std::string& out, B b) {
  out.append(b ? "true" : "false");
}
void append_to(std::string& out, int64_t v);
void append_to(std::string& out, uint64_t v);
// The shortest text that reads back as the same number; "inf", "-inf", "nan"; integral values keep
// ".0".
void append_to(std::string& out, double v);
void append_to(std::string& out, float v);

template <class T>
  requires std::integral<T> && (!std::same_as<T, bool>) && (!std::same_as<T, char>)
void append_to(std::string& out, T v) {
  if constexpr (std::is_signed_v<T>) {
    append_to(out, static_cast<int64_t>(v));
  } else {
    append_to(out, static_cast<uint64_t>(v));
  }
}

// A list prints as [1, 2, 3].
template <class T>
void append_list(std::string& out, std::span<const T> list) {
  out.push_back('[');
  for (size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out.append(", ");
    append_to(out, list[i]);
  }
  out.push_back(']');
}

template <class T>
concept Printable = requires(std::string& out, const T& v) { append_to(out, v); };

template <Printable... Parts>
std::string cat(const Parts&... parts) {
  std::string out;
  (append_to(out, parts), ...);
  return out;
}

}  // namespace vitro
