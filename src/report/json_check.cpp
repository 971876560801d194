// A recursive-descent validator of JSON (RFC 8259) that builds nothing; json_check.h is its
// interface.
#include "vitro/report/json_check.h"

#include <cstddef>

#include "report/utf8.h"
#include "vitro/base/cat.h"

namespace vitro::report {
namespace {

// Each function consumes what it is named after and returns whether it was there.
class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  Verdict check() {
    if (value(0) && (space(), at_ == text_.size())) return Verdict::yes();
    if (at_ == text_.size()) return Verdict::no("it ends too early");
    return Verdict::no(cat("byte ", at_ + 1, " is wrong"));
  }

 private:
  static constexpr int deepest = 100;

  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return at_ < text_.size() && text_[at_] == c && (++at_, true); }
  bool take(std::string_view word) {
    return text_.substr(at_).starts_with(word) && (at_ += word.size(), true);
  }
  void space() {
    while (take(' ') || take('\n') || take('\t') || take('\r')) {
    }
  }

  bool value(int depth) {
    space();
    if (depth > deepest) return false;
    switch (here()) {
      case '{':
        return members('}', depth);
      case '[':
        return members(']', depth);
      case '"':
        return string();
      case 't':
        return take("true");
      case 'f':
        return take("false");
      case 'n':
        return take("null");
      default:
        return number();
    }
  }

  // An object or array, after its opening bracket.
  bool members(char closing, int depth) {
    ++at_;
    space();
    if (take(closing)) return true;
    do {
      space();
      if (closing == '}' && !(string() && (space(), take(':')))) return false;
      if (!value(depth + 1)) return false;
      space();
    } while (take(','));
    return take(closing);
  }

  bool digits() {
    const size_t before = at_;
    while (here() >= '0' && here() <= '9') ++at_;
    return at_ > before;
  }
  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }

  bool string() {
    if (!take('"')) return false;
    while (!take('"')) {
      if (take('\\')) {
        if (!escape()) return false;
        continue;
      }
      if (at_ == text_.size()) return false;
      const Character c = next_character(text_.substr(at_));
      if (c.code < 0x20) return false;  // a control character, or not UTF-8
      at_ += c.length;
    }
    return true;
  }
  bool escape() {
    if (take('u')) {
      for (int i = 0; i < 4; ++i) {
        if (std::string_view("0123456789abcdefABCDEF").find(here()) == std::string_view::npos)
          return false;
        ++at_;
      }
      return true;
    }
    if (at_ == text_.size() ||
        std::string_view("\"\\/bfnrt").find(here()) == std::string_view::npos)
      return false;
    return ++at_, true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Verdict can_be_json(std::string_view text) {
  return Checker(text).check();
}

}  // namespace vitro::report
