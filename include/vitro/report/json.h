// Writes JSON as it comes, without keeping any of it.
//   report::Json json(out);
//   json.begin_object();
//   json.member("name", "fused \"mul\"");
//   json.key("sizes").begin_array().value(2).value(3).end();
//   json.end();
// Text may hold any bytes: what is not UTF-8 becomes U+FFFD.  Numbers read back as the same number;
// what JSON has no number for (NaN, infinity) becomes null.  Nesting that does not close is a bug
// and asserted.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vitro/report/output.h"

namespace vitro::report {

class Json {
 public:
  // Elements of the outermost `line_depth` levels stand on lines of their own.
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

  // A number given in thousandths, with its three decimals: 1234 is written 1.234.
  Json& thousandths(int64_t number);

  // A number where everybody who reads numbers as doubles reads this one, else its digits as text.
  Json& exact(int64_t number);
  Json& exact(uint64_t number);

  // Text that is JSON already: a value, or whole members of the object that is open.
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
