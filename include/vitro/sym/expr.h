// Whole-number expressions over symbols: sizes of tensors and indices of loops.
//   Expr n = Expr::symbol("s0"), i = Expr::index("i", n);   floordiv(i + n * 3, n) == 3, mod(i
//   + n * 3, n) == i
// Expressions are interned in one normal form: equal values of the normal form are the same node,
// so == compares pointers and hashing is free.  Nodes live for ever (docs/state.md).  Division
// rounds down, the remainder has the sign of the divisor. Thread safety: everything here may be
// called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/base/error.h"

namespace vitro::sym {

struct Node;

// A number that leaves 64 bits.
struct Overflow : Error {
  using Error::Error;
};

constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

// Both ends belong to the range; -unbounded and unbounded stand for no end.
struct Range {
  int64_t low = -unbounded, high = unbounded;
  bool operator==(const Range&) const = default;
};
// The largest size that a symbol stands for: beyond it lie the end of a slice that means "to the
// end", and sizes of tensors that repeat their elements.  Numbers of elements stay countable.
constexpr int64_t largest_size = (int64_t{1} << 40) - 1;
// What a size stands for unless it is said otherwise: a tensor without elements is a program of its
// own.
constexpr Range size_range{1, largest_size};
constexpr Range data_range{0, largest_size};

class Expr {
 public:
  Expr() = default;        // no expression; only `==`, `defined` and assignment are allowed
  Expr(int64_t constant);  // NOLINT(google-explicit-constructor)
  Expr(int constant)
      : Expr(static_cast<int64_t>(constant)) {}  // NOLINT(google-explicit-constructor)

  // The symbol of that name: the same name is the same symbol for as long as the program runs, and
  // its range is that of its first making (asking again with another range is a Bug).  Names of
  // sizes are "s0", "s1", ...
  static Expr symbol(std::string_view name, Range range = size_range);
  // A size that data decide, "u0": how many elements of a mask hold.  It has no value until the
  // kernel that counts has run, and may be 0.  PyTorch's unbacked symbol.
  static Expr data(uint32_t number);
  // A loop index: 0 <= index < extent, where the extent may be symbolic.  Fresh per (name, extent).
  static Expr index(std::string_view name, Expr extent);

  bool defined() const { return node_ != nullptr; }
  const Node* node() const { return node_; }
  std::optional<int64_t> constant() const;  // the number that this is, if it is one
  bool is(int64_t value) const { return constant() == value; }
  bool is_symbol() const;    // a size symbol or a loop index
  std::string text() const;  // "3*s0 + i", as C++ would read it with floordiv(a, b) and mod(a, b)

  friend bool operator==(Expr a, Expr b) { return a.node_ == b.node_; }

 private:
  friend struct Builder;
  explicit Expr(const Node* node) : node_(node) {}
  const Node* node_ = nullptr;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator-(Expr a);
Expr floordiv(Expr a, Expr b);  // b must not be 0; simplified where the ranges prove it
Expr mod(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr product(std::span<const Expr> factors);

// What is known without asking: always / never / not known.
std::optional<bool> prove_less(Expr a, Expr b);
std::optional<bool> prove_equal(Expr a, Expr b);
Range range_of(Expr e);

Expr substitute(Expr e, Expr symbol, Expr value);
Expr substitute(Expr e, std::span<const std::pair<Expr, Expr>> values);
// The symbols and indices in `e`, each once, in order of their names.
std::vector<Expr> symbols_of(Expr e);
bool contains(Expr e, Expr symbol);
// e == coefficient * symbol + rest, with neither part naming the symbol; empty where e is not of
// that form.
struct Linear {
  Expr coefficient, rest;
};
std::optional<Linear> as_linear(Expr e, Expr symbol);

// The value under a binding; every symbol must be bound.  `value_of` gets the symbol.
int64_t evaluate(Expr e, const std::function<int64_t(Expr)>& value_of);

// Reads what text() printed; names of symbols are looked up by `symbol_named`, a name it does not
// know gives no expression.
std::optional<Expr> parse(std::string_view text,
                          const std::function<Expr(std::string_view)>& symbol_named);

// Whether `e` names a size that data decide.
bool is_data(Expr e);

// The structure, for code generators and printers.  Valid for as long as the program runs.
enum class Kind : uint8_t { constant, symbol, index, sum, product, floordiv, mod, min, max };
Kind kind_of(Expr e);
std::string_view name_of(Expr symbol);  // symbol and index
Expr extent_of(Expr index);             // index
std::vector<Expr> operands_of(
    Expr e);  // sum: terms; product: factors (a constant factor comes first); others: both sides

void append_to(std::string& out, Expr e);

}  // namespace vitro::sym

template <>
struct std::hash<vitro::sym::Expr> {
  size_t operator()(vitro::sym::Expr e) const { return std::hash<const void*>()(e.node()); }
};
