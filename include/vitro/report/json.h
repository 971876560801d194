// Writes JSON incrementally, without keeping it in memory.
//   report::Json json(out);
//   json.begin_object();
//   json.member("name", "fused \"mul\"");
//   json.key("sizes").begin_array().value(2).value(3).end();
//   json.end();
// Text may contain any bytes: invalid UTF-8 becomes U+FFFD.  Numbers read back as the same number;
// NaN and infinity become null.  Unbalanced nesting is a bug and asserted.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vitro/report/output.h"

namespace vitro::report {

class Json {
 public:
  // Elements of the outermost `line_depth` levels are on separate lines.
  explicit Json(Output& out, size_t line_depth = 0) : out_(out), line_depth_(line_depth) {}

  Json& begin_object() { return begin('{', '}'); }
  Json& begin_array() { return begin('[', ']'); }
  Json& end();

  Json& key(std::string_view name);
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(double number);
  Json& value(std::same_as<bool> auto yes) { return raw(yes ? "true" : "false"); }
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  Json& value(I number) {
    if constexpr (std::signed_integral<I>) {
      return signed_value(number);
    } else {
      return unsigned_value(number);
    }
  }
  Json& null() { return raw("null"); }

  // A number in thousandths, with three decimals: 1234 is written as 1.234.
  Json& thousandths(int64_t number);

  // A number if it is exact as a double, else its digits as text.
  Json& exact(int64_t number);
  Json& exact(uint64_t number);

  // Text that is JSON already: a value, or complete members of the open object.
  Json& raw(std::string_view json);

  template <class T>
  Json& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

 private:
  Json& begin(char opening, char closing);
  Json& signed_value(int64_t number);
  Json& unsigned_value(uint64_t number);
  void separate();
  void line();
  void quoted(std::string_view text);

  struct Level {
    char closing;
    bool empty;
  };
  Output& out_;
  size_t line_depth_;
  std::vector<Level> open_;
  bool after_key_ = false;
};

}  // namespace vitro::report
