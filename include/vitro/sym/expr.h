// Integer expressions over symbols: sizes of tensors and loop indices.
//   Expr n = Expr::symbol("s0"), i = Expr::index("i", n);
//   floordiv(i + n * 3, n) == 3;  mod(i + n * 3, n) == i;
// Expressions are interned in a normal form: equal normal forms are the same node, so == compares
// pointers and hashing is free.  Nodes are never freed (docs/state.md).  Division rounds down; the
// remainder has the sign of the divisor.  Thread safety: everything here may be called from any
// thread.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/base/error.h"
#include "vitro/base/function_ref.h"

namespace vitro::sym {

struct Node;

// Thrown if a number does not fit into 64 bits.
struct Overflow : Error {
  using Error::Error;
};

constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

// Inclusive at both ends; -unbounded and unbounded mean that there is no bound.
struct Range {
  int64_t low = -unbounded, high = unbounded;
  bool operator==(const Range&) const = default;
};
// The largest value of a size symbol.  Larger are only slice ends that mean "to the end" and sizes
// of tensors that repeat their elements; numbers of elements stay representable.
constexpr int64_t largest_size = (int64_t{1} << 40) - 1;
// The default range of a size symbol.  It excludes 0: empty tensors are compiled separately.
constexpr Range size_range{1, largest_size};
constexpr Range data_range{0, largest_size};

class Expr {
 public:
  Expr() = default;        // no expression; only `==`, `defined` and assignment are allowed
  Expr(int64_t constant);  // NOLINT(google-explicit-constructor)
  Expr(int constant)
      : Expr(static_cast<int64_t>(constant)) {}  // NOLINT(google-explicit-constructor)

  // The symbol of that name.  The same name is the same symbol until the process ends; its range is
  // set by the first call (another range later is a Bug).  Names of sizes are "s0", "s1", ...
  static Expr symbol(std::string_view name, Range range = size_range);
  // A data size, "u0", such as the number of true elements of a mask.  It has no value until the
  // kernel that counts has run, and may be 0.  PyTorch's unbacked symbol.
  static Expr data(uint32_t number);
  // A loop index: 0 <= index < extent, which may be symbolic.  One symbol per (name, extent).
  static Expr index(std::string_view name, Expr extent);

  bool defined() const { return node_ != nullptr; }
  const Node* node() const { return node_; }
  std::optional<int64_t> constant() const;  // the value, if this is a constant
  bool is(int64_t value) const { return constant() == value; }
  bool is_symbol() const;    // a size symbol or a loop index
  std::string text() const;  // "3*s0 + i"; valid C++, given floordiv(a, b) and mod(a, b)

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
Expr floordiv(Expr a, Expr b);  // b must not be 0; simplified as far as the ranges allow
Expr mod(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr product(std::span<const Expr> factors);

// Whether the relation holds for all values of the symbols: always, never, or unknown.
std::optional<bool> prove_less(Expr a, Expr b);
std::optional<bool> prove_equal(Expr a, Expr b);
Range range_of(Expr e);

Expr substitute(Expr e, Expr symbol, Expr value);
Expr substitute(Expr e, std::span<const std::pair<Expr, Expr>> values);
// The symbols and indices in `e`, without duplicates, sorted by name.
std::vector<Expr> symbols_of(Expr e);
bool contains(Expr e, Expr symbol);
// e == coefficient * symbol + rest, where neither part contains the symbol; empty if e does not
// have that form.
struct Linear {
  Expr coefficient, rest;
};
std::optional<Linear> as_linear(Expr e, Expr symbol);

// The value of `e`; `value_of` is called with each symbol and returns its value.
int64_t evaluate(Expr e, FunctionRef<int64_t(Expr)> value_of);

// Parses the output of text().  `symbol_named` looks up names of symbols; if it returns an
// undefined Expr, so for an unknown name, the result is empty.
std::optional<Expr> parse(std::string_view text, FunctionRef<Expr(std::string_view)> symbol_named);

// Whether `e` contains a data size.
bool is_data(Expr e);

// The structure, for code generators and printers.  Views stay valid until the process ends.
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
