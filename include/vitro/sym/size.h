// A size of this run that also knows its symbol: what `tensor.size(0)` returns.
//   Size n = x.size(0);   Tensor y = view(x, {n / 2, 2});
// Outside of a compiled function a Size is a plain number.  Inside, when the dimension is symbolic,
// arithmetic carries the expression along, and a question (`==`, `<`, a conversion to int64_t) is
// answered for this run and told to the thread's GuardSink, so that whoever reuses the answer can
// check it.  16 bytes, copied as bytes.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vitro/base/small_vector.h"
#include "vitro/sym/expr.h"

namespace vitro {

class Size {
 public:
  Size() = default;
  template <std::integral I>
  Size(I value) : value_(static_cast<int64_t>(value)) {}  // NOLINT(google-explicit-constructor)
  Size(int64_t value, sym::Expr expr);  // a constant expression makes a plain number

  // This run's number, no question asked: for shape rules and records, which hold the expression
  // too.  Of a size that data decide: what it is at most, until it is known.
  int64_t hint() const { return value_; }
  bool is_symbolic() const { return expr_.defined(); }
  sym::Expr expr() const { return expr_.defined() ? expr_ : sym::Expr(value_); }
  // The number; asks "is it this number?" of a symbolic size, which pins it where answers are kept
  // (frozen mode, shape rules).
  operator int64_t() const;  // NOLINT(google-explicit-constructor)
  int64_t value() const { return *this; }

 private:
  int64_t value_ = 0;
  sym::Expr expr_;  // only when symbolic
};
static_assert(sizeof(Size) == 16);

using Sizes = SmallVector<Size, 6>;
using SizesArg = OneOrMore<Size>;  // as functions take them

namespace detail {

inline bool plain(Size a, Size b) {
  return !a.is_symbolic() && !b.is_symbolic();
}
// Symbols, and numbers that do not fit (Error).
Size add(Size a, Size b);
Size subtract(Size a, Size b);
Size multiply(Size a, Size b);
bool ask_equal(Size a, Size b);
bool ask_less(Size a, Size b);
bool is_known_equal(Size a, Size b);
bool ask_equal_in_layout(Size a, Size b);
bool ask_less_in_layout(Size a, Size b);

}  // namespace detail

inline Size operator+(Size a, Size b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a.hint(), b.hint(), &sum) || !detail::plain(a, b)) [[unlikely]]
    return detail::add(a, b);
  return sum;
}
inline Size operator-(Size a, Size b) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(a.hint(), b.hint(), &difference) || !detail::plain(a, b)) [[unlikely]]
    return detail::subtract(a, b);
  return difference;
}
inline Size operator*(Size a, Size b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a.hint(), b.hint(), &product) || !detail::plain(a, b)) [[unlikely]]
    return detail::multiply(a, b);
  return product;
}
Size operator/(Size a, Size b);  // rounds down; b must not be 0
Size operator%(Size a, Size b);
Size max(Size a, Size b);
Size min(Size a, Size b);
Size product(std::span<const Size> sizes);

// Questions: answered for this run, remembered as a guard when the answer depends on a symbol.
inline bool equal(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() == b.hint() : detail::ask_equal(a, b);
}
inline bool less(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() < b.hint() : detail::ask_less(a, b);
}
inline bool operator==(Size a, Size b) {
  return equal(a, b);
}
inline bool operator<(Size a, Size b) {
  return less(a, b);
}
inline bool operator>(Size a, Size b) {
  return less(b, a);
}
inline bool operator<=(Size a, Size b) {
  return !less(b, a);
}
inline bool operator>=(Size a, Size b) {
  return !less(a, b);
}
// A Size with any plain number on either side: exact matches, so that the conversion to int64_t
// does not compete.
#define VITRO_SIZE_MIXED(result, op)           \
  template <std::integral I>                   \
  inline result operator op(Size a, I b) {     \
    return a op Size(static_cast<int64_t>(b)); \
  }                                            \
  template <std::integral I>                   \
  inline result operator op(I a, Size b) {     \
    return Size(static_cast<int64_t>(a)) op b; \
  }
VITRO_SIZE_MIXED(Size, +)
VITRO_SIZE_MIXED(Size, -)
VITRO_SIZE_MIXED(Size, *)
VITRO_SIZE_MIXED(Size, /)
VITRO_SIZE_MIXED(Size, %)
VITRO_SIZE_MIXED(bool, ==)
VITRO_SIZE_MIXED(bool, !=)
VITRO_SIZE_MIXED(bool, <)
VITRO_SIZE_MIXED(bool, >)
VITRO_SIZE_MIXED(bool, <=)
VITRO_SIZE_MIXED(bool, >=)
#undef VITRO_SIZE_MIXED
// The same number and the same expression, without a question: for records and their comparison.
inline bool identical(Size a, Size b) {
  return a.is_symbolic() || b.is_symbolic() ? a.expr() == b.expr() : a.hint() == b.hint();
}

// As equal, but of a size that data decide "no" where nothing proves it: for questions whether a
// size is 0 or 1 and whether strides are what they would be without holes, where what follows from
// "no" is right for every size.  PyTorch's guard_or_false.
inline bool known_equal(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() == b.hint() : detail::is_known_equal(a, b);
}
// Questions that decide only in which order elements lie: answered for this run, with a guard.  For
// sizes that data decide they are answered as if these were the largest possible, without a guard.
inline bool equal_in_layout(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() == b.hint() : detail::ask_equal_in_layout(a, b);
}
inline bool less_in_layout(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() < b.hint() : detail::ask_less_in_layout(a, b);
}

void append_to(std::string& out, Size size);  // "7", or the expression where symbolic

namespace sym {

// A question that was answered: `a == b` or `a < b`, and how.
struct Guard {
  enum class Question : uint8_t { equal, less } question;
  Expr a, b;
  bool answer;
  bool holds(const std::function<int64_t(Expr)>& value_of) const;
  std::string text() const;  // "s0 == 4", "s0 != s1", "s0 < 8", "s0 >= 8"
  bool operator==(const Guard&) const = default;
};

// Collects the guards of this thread while it lives; sinks nest, the innermost hears.  A question
// that is decided by the ranges alone or already answered in the sink is not kept again.
class GuardSink {
 public:
  GuardSink();
  ~GuardSink();
  GuardSink(const GuardSink&) = delete;
  const std::vector<Guard>& guards() const { return guards_; }
  std::vector<Guard> take() { return std::move(guards_); }
  void add(Guard guard);
  static GuardSink* current();

 private:
  GuardSink* before_;
  std::vector<Guard> guards_;
};

// Thrown where a question about a size that data decide has to be answered before it has a number.
struct Undecided : Error {
  explicit Undecided(Guard question);
  explicit Undecided(Expr size);  // which number is it?
  Guard asked;                    // the answer says nothing
};

// Who answers for the sizes that data decide while it lives: the innermost of this thread.
class DataSizes {
 public:
  DataSizes();
  virtual ~DataSizes();
  DataSizes(const DataSizes&) = delete;
  // What no range decides.
  virtual bool answer(Guard::Question question, Expr a, Expr b) = 0;
  virtual int64_t number(Expr e) = 0;
  static DataSizes* current();

 private:
  DataSizes* before_;
};

// Answers what follows from the bounds of the sizes, and throws Undecided for the rest.  Nobody
// answering means one without bounds.
class DataBounds : public DataSizes {
 public:
  // 0 <= symbol <= bound; of an expression over sizes that were added before, or none that data
  // decide.
  void add(Expr symbol, Expr bound) { bounds_.emplace_back(symbol, bound); }
  const std::vector<std::pair<Expr, Expr>>& all() const { return bounds_; }
  // none: not by the bounds.
  std::optional<bool> decide(Guard::Question question, Expr a, Expr b) const;
  bool answer(Guard::Question question, Expr a, Expr b) override;
  int64_t number(Expr e) override;

 private:
  std::optional<Expr> least(Expr e) const;  // of all that it can be; none: nobody knows
  std::vector<std::pair<Expr, Expr>> bounds_;
};

}  // namespace sym
}  // namespace vitro
