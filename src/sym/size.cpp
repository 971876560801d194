#include "vitro/sym/size.h"

#include <algorithm>

#include "sym/node.h"
#include "sym/poly.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

// Tells the sink, if there is one, unless the answer holds for every value.
bool answered(sym::Guard::Question question, Size a, Size b, bool answer) {
  sym::GuardSink* sink = sym::GuardSink::current();
  if (sink) sink->add({question, a.expr(), b.expr(), answer});
  return answer;
}

using detail::plain;

}  // namespace

Size::Size(int64_t value, sym::Expr expr) : value_(value) {
  if (expr.defined() && !expr.constant()) expr_ = expr;
}

Size::operator int64_t() const {
  if (is_symbolic()) equal(*this, Size(value_));
  return value_;
}

Size detail::add(Size a, Size b) {
  const int64_t value = sym::checked_add(a.value(), b.value());
  if (plain(a, b)) return value;
  return {value, a.expr() + b.expr()};
}

Size detail::subtract(Size a, Size b) {
  int64_t value = 0;
  VITRO_CHECK(!__builtin_sub_overflow(a.value(), b.value(), &value), "size: ", a.value(), " - ",
              b.value(), " does not fit into 64 bits");
  if (plain(a, b)) return value;
  return {value, a.expr() - b.expr()};
}

Size detail::multiply(Size a, Size b) {
  const int64_t value = sym::checked_multiply(a.value(), b.value());
  if (plain(a, b)) return value;
  return {value, a.expr() * b.expr()};
}

Size operator/(Size a, Size b) {
  VITRO_CHECK(b.value() != 0, "size: ", a.value(), " is divided by ", b.value());
  const int64_t value = b.value() == -1 ? sym::checked_multiply(a.value(), -1)
                                        : sym::floor_quotient(a.value(), b.value());
  if (plain(a, b)) return value;
  return {value, sym::floordiv(a.expr(), b.expr())};
}

Size operator%(Size a, Size b) {
  VITRO_CHECK(b.value() != 0, "size: ", a.value(), " is divided by ", b.value());
  const int64_t value = b.value() == -1 ? 0 : sym::floor_remainder(a.value(), b.value());
  if (plain(a, b)) return value;
  return {value, sym::mod(a.expr(), b.expr())};
}

Size max(Size a, Size b) {
  const int64_t value = std::max(a.value(), b.value());
  if (plain(a, b)) return value;
  return {value, sym::max(a.expr(), b.expr())};
}

Size min(Size a, Size b) {
  const int64_t value = std::min(a.value(), b.value());
  if (plain(a, b)) return value;
  return {value, sym::min(a.expr(), b.expr())};
}

Size product(std::span<const Size> sizes) {
  Size p = 1;
  for (const Size size : sizes) p = p * size;
  return p;
}

bool detail::ask_equal(Size a, Size b) {
  const bool answer = a.value() == b.value();
  const bool same = a.is_symbolic() && b.is_symbolic() && a.expr() == b.expr();
  return same ? answer : answered(sym::Guard::Question::equal, a, b, answer);
}

bool detail::ask_less(Size a, Size b) {
  return answered(sym::Guard::Question::less, a, b, a.value() < b.value());
}

void append_to(std::string& out, Size size) {
  if (size.is_symbolic()) {
    sym::append_to(out, size.expr());
  } else {
    append_to(out, size.value());
  }
}

}  // namespace vitro
