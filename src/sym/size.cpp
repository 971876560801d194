// Arithmetic on sizes, both on the number in this run and on the expression if one is symbolic, and
// the questions about sizes that become guards.
#include "vitro/sym/size.h"

#include <algorithm>

#include "sym/data_size.h"
#include "sym/node.h"
#include "sym/poly.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

bool by_data(Size a, Size b) {
  return is_by_data(a) || is_by_data(b);
}

std::optional<bool> proven(sym::Guard::Question question, Size a, Size b) {
  return question == sym::Guard::Question::equal ? sym::prove_equal(a.expr(), b.expr())
                                                 : sym::prove_less(a.expr(), b.expr());
}

bool answered_by_data(sym::Guard::Question question, Size a, Size b) {
  if (const auto known = proven(question, a, b)) return *known;
  sym::DataSizes* who = sym::DataSizes::current();
  return who ? who->answer(question, a.expr(), b.expr())
             : sym::DataBounds().answer(question, a.expr(), b.expr());
}

// Adds a guard to the sink, if there is one; data sizes are answered by DataSizes instead.
bool answered(sym::Guard::Question question, Size a, Size b, bool answer) {
  if (by_data(a, b)) [[unlikely]]
    return answered_by_data(question, a, b);
  sym::GuardSink* sink = sym::GuardSink::current();
  if (sink) sink->add({question, a.expr(), b.expr(), answer});
  return answer;
}

using detail::plain;

// Sizes of real programs stay far below this; a loop that combines a size with itself doubles it.
constexpr uint32_t most_written = 1000;

// The result `value` with the expression that `make` returns.  If that is too large to reason
// about, or overflows, the result is a plain number, guarded by the values of the operands.
template <class Make>
Size made(int64_t value, Size a, Size b, Make make) {
  try {
    const sym::Expr expr = make(a.expr(), b.expr());
    if (expr.node()->written <= most_written) return {value, expr};
  } catch (const sym::Overflow&) {
  }
  if (by_data(a, b)) throw sym::Undecided({sym::Guard::Question::equal, a.expr(), b.expr(), false});
  (void)a.value();
  (void)b.value();
  return value;
}

}  // namespace

Size::Size(int64_t value, sym::Expr expr) : value_(value) {
  if (expr.defined() && !expr.constant()) expr_ = expr;
}

Size::operator int64_t() const {
  if (!is_symbolic()) return value_;
  if (sym::is_data(expr_)) [[unlikely]] {
    sym::DataSizes* who = sym::DataSizes::current();
    return who ? who->number(expr_) : sym::DataBounds().number(expr_);
  }
  equal(*this, Size(value_));
  return value_;
}

Size detail::add(Size a, Size b) {
  const int64_t value = sym::checked_add(a.hint(), b.hint());
  if (plain(a, b)) return value;
  return made(value, a, b, [](sym::Expr x, sym::Expr y) { return x + y; });
}

Size detail::subtract(Size a, Size b) {
  int64_t value = 0;
  VITRO_CHECK(!__builtin_sub_overflow(a.hint(), b.hint(), &value), "size: ", a.hint(), " - ",
              b.hint(), " does not fit into 64 bits");
  if (plain(a, b)) return value;
  return made(value, a, b, [](sym::Expr x, sym::Expr y) { return x - y; });
}

Size detail::multiply(Size a, Size b) {
  const int64_t value = sym::checked_multiply(a.hint(), b.hint());
  if (plain(a, b)) return value;
  return made(value, a, b, [](sym::Expr x, sym::Expr y) { return x * y; });
}

namespace {

// If the divisor is a data size, DataSizes answers whether it is 0.
void check_divisor(Size a, Size b) {
  VITRO_CHECK(!equal(b, 0), "size: ", a.value(), " is divided by 0");
}

}  // namespace

Size operator/(Size a, Size b) {
  check_divisor(a, b);
  const int64_t value = b.hint() == -1 ? sym::checked_multiply(a.hint(), -1)
                                       : sym::floor_quotient(a.hint(), b.hint());
  if (plain(a, b)) return value;
  return made(value, a, b, [](sym::Expr x, sym::Expr y) { return sym::floordiv(x, y); });
}

Size operator%(Size a, Size b) {
  check_divisor(a, b);
  const int64_t value = b.hint() == -1 ? 0 : sym::floor_remainder(a.hint(), b.hint());
  if (plain(a, b)) return value;
  return made(value, a, b, [](sym::Expr x, sym::Expr y) { return sym::mod(x, y); });
}

Size max(Size a, Size b) {
  const int64_t value = std::max(a.hint(), b.hint());
  if (plain(a, b)) return value;
  return made(value, a, b, [](sym::Expr x, sym::Expr y) { return sym::max(x, y); });
}

Size min(Size a, Size b) {
  const int64_t value = std::min(a.hint(), b.hint());
  if (plain(a, b)) return value;
  return made(value, a, b, [](sym::Expr x, sym::Expr y) { return sym::min(x, y); });
}

Size product(std::span<const Size> sizes) {
  Size p = 1;
  for (const Size size : sizes) p = p * size;
  return p;
}

bool detail::ask_equal(Size a, Size b) {
  const bool answer = a.hint() == b.hint();
  const bool same = a.is_symbolic() && b.is_symbolic() && a.expr() == b.expr();
  return same ? answer || sym::is_data(a.expr())
              : answered(sym::Guard::Question::equal, a, b, answer);
}

bool detail::ask_less(Size a, Size b) {
  return answered(sym::Guard::Question::less, a, b, a.hint() < b.hint());
}

namespace {

// A plain number of a data size that is known by now.
Size by_now(Size size) {
  if (!is_by_data(size)) return size;
  const sym::DataSizes* who = sym::DataSizes::current();
  const auto number = who ? who->find(size.expr()) : std::nullopt;
  return number ? Size(*number) : size;
}

}  // namespace

bool detail::is_known_equal(Size a, Size b) {
  if (!by_data(a, b)) return equal(a, b);
  const Size x = by_now(a), y = by_now(b);
  if (!by_data(x, y)) return equal(x, y);
  return proven(sym::Guard::Question::equal, x, y).value_or(false);
}

bool detail::ask_equal_in_layout(Size a, Size b) {
  const Size x = by_now(a), y = by_now(b);
  return by_data(x, y) ? x.hint() == y.hint() : equal(x, y);
}

bool detail::ask_less_in_layout(Size a, Size b) {
  const Size x = by_now(a), y = by_now(b);
  return by_data(x, y) ? x.hint() < y.hint() : less(x, y);
}

void append_to(std::string& out, Size size) {
  if (size.is_symbolic()) {
    sym::append_to(out, size.expr());
  } else {
    append_to(out, size.hint());
  }
}

}  // namespace vitro
