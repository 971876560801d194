// A size: its number in this run and, if it is symbolic, its expression.  `tensor.size(0)` returns
// one.
//   Size n = x.size(0);   Tensor y = view(x, {n / 2, 2});
// Outside a compiled function a Size is a plain number.  Inside, if the dimension is symbolic,
// arithmetic also computes the expression, and a question (`==`, `<`, a conversion to int64_t) is
// answered for this run and recorded as a guard in the thread's GuardSink, so that code that reuses
// the answer can check it.  16 bytes, trivially copyable.
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

  // The number in this run, without a guard: for code that also keeps the expression, such as shape
  // rules.  The hint of a data size is its upper bound until it is known.
  int64_t hint() const { return value_; }
  bool is_symbolic() const { return expr_.defined(); }
  sym::Expr expr() const { return expr_.defined() ? expr_ : sym::Expr(value_); }
  // The number.  For a symbolic size this adds the guard that it equals this number, which
  // specializes code that is reused under guards (frozen mode, shape rules).
  operator int64_t() const;  // NOLINT(google-explicit-constructor)
  int64_t value() const { return *this; }

 private:
  int64_t value_ = 0;
  sym::Expr expr_;  // only when symbolic
};
static_assert(sizeof(Size) == 16);

using Sizes = SmallVector<Size, 6>;
using SizesArg = OneOrMore<Size>;  // as a parameter of functions

namespace detail {

inline bool plain(Size a, Size b) {
  return !a.is_symbolic() && !b.is_symbolic();
}
// The slow paths: symbolic operands, and overflow (throws Error).
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

// Questions: answered for this run, and recorded as a guard if the answer depends on a symbol.
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
// Operators on a Size and any integer: exact matches, so that overloads by conversion to int64_t
// are not considered.
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
// Whether both are the same expression or the same number, without a guard: for comparing records.
inline bool identical(Size a, Size b) {
  return a.is_symbolic() || b.is_symbolic() ? a.expr() == b.expr() : a.hint() == b.hint();
}

// As equal, but false for a data size unless equality is proven.  For questions such as whether a
// size is 0 or 1, or strides are contiguous, if the code for "no" is correct for every size.
// PyTorch's guard_or_false.
inline bool known_equal(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() == b.hint() : detail::is_known_equal(a, b);
}
// Questions that decide only the order of elements in memory: answered for this run, with a guard;
// for data sizes, answered by their upper bounds, without a guard.
inline bool equal_in_layout(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() == b.hint() : detail::ask_equal_in_layout(a, b);
}
inline bool less_in_layout(Size a, Size b) {
  return detail::plain(a, b) ? a.hint() < b.hint() : detail::ask_less_in_layout(a, b);
}

void append_to(std::string& out, Size size);  // "7", or the expression if symbolic

namespace sym {

// A question, `a == b` or `a < b`, and its answer.
struct Guard {
  enum class Question : uint8_t { equal, less } question;
  Expr a, b;
  bool answer;
  bool holds(FunctionRef<int64_t(Expr)> value_of) const;
  std::string text() const;  // "s0 == 4", "s0 != s1", "s0 < 8", "s0 >= 8"
  bool operator==(const Guard&) const = default;
};

// Collects the guards of this thread while it lives.  Sinks nest; only the innermost one collects.
// Questions that the ranges decide, and duplicates, are not stored.
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

// Thrown if a question about a data size cannot be answered because the size has no number yet.
struct Undecided : Error {
  explicit Undecided(Guard question);
  explicit Undecided(Expr size);  // its number was asked for
  Guard asked;                    // its `answer` is meaningless
};

// Answers questions about data sizes on this thread while it lives; instances nest, the innermost
// one answers.
class DataSizes {
 public:
  DataSizes();
  virtual ~DataSizes();
  DataSizes(const DataSizes&) = delete;
  // Called only for questions that the ranges do not decide.
  virtual bool answer(Guard::Question question, Expr a, Expr b) = 0;
  virtual int64_t number(Expr e) = 0;
  // The number if it is known by now; nothing happens if it is not.
  virtual std::optional<int64_t> find(Expr) const { return std::nullopt; }
  static DataSizes* current();

 private:
  DataSizes* before_;
};

// Answers what follows from the bounds of data sizes, and throws Undecided otherwise.  A thread
// without a DataSizes behaves as if it had a DataBounds without bounds.
class DataBounds : public DataSizes {
 public:
  // 0 <= symbol <= bound; `bound` may contain only data sizes that were added before.
  void add(Expr symbol, Expr bound) { bounds_.emplace_back(symbol, bound); }
  const std::vector<std::pair<Expr, Expr>>& all() const { return bounds_; }
  // Nothing if the bounds do not decide it.
  std::optional<bool> decide(Guard::Question question, Expr a, Expr b) const;
  bool answer(Guard::Question question, Expr a, Expr b) override;
  int64_t number(Expr e) override;

 private:
  std::optional<Expr> least(Expr e) const;  // the minimum of `e` within the bounds, if known
  std::vector<std::pair<Expr, Expr>> bounds_;
};

}  // namespace sym
}  // namespace vitro
