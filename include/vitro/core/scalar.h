// A plain number given to an op: bool, whole or floating, possibly a size of this run that knows
// its symbol.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "vitro/base/hash.h"
#include "vitro/core/dtype.h"
#include "vitro/sym/size.h"

namespace vitro {

class Scalar {
 public:
  enum class Kind : uint8_t { boolean, integer, floating };

  Scalar() = default;
  Scalar(Size size)
      : kind_(Kind::integer), expr_(size.is_symbolic() ? size.expr() : sym::Expr()) {  // NOLINT
    value_.i = size.hint();
  }
  template <class T>
    requires std::is_arithmetic_v<T>
  Scalar(T v) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::same_as<T, bool>) {
      kind_ = Kind::boolean;
      value_.i = v;
    } else if constexpr (std::integral<T>) {
      kind_ = Kind::integer;
      value_.i = static_cast<int64_t>(v);
    } else {
      kind_ = Kind::floating;
      value_.d = static_cast<double>(v);
    }
  }

  Kind kind() const { return kind_; }
  bool is_floating() const { return kind_ == Kind::floating; }
  // The dtype that it brings to promotion: bool, i64 or f64.
  DType dtype() const;
  // The number; one that stands for an expression asks "is it this number?", as Size::value does
  // (as_bool: "is it 0?").
  double as_double() const { return is_floating() ? value_.d : static_cast<double>(integer()); }
  int64_t as_int() const { return is_floating() ? static_cast<int64_t>(value_.d) : integer(); }
  bool as_bool() const { return !is(0); }
  // This run's number alone, no question asked.
  Scalar hint() const { return from_bits(kind_, bits()); }
  // The whole number (what is floating loses its fraction) with its expression, no question asked.
  Size size() const { return is_symbolic() ? Size(value_.i, expr_) : Size(as_int()); }
  // Whether it is this number; asks no more than that.
  bool is(int64_t number) const {
    return is_floating() ? value_.d == static_cast<double>(number) : size() == number;
  }
  uint64_t bits() const {
    return static_cast<uint64_t>(value_.i);
  }  // of the int64 or of the double
  static Scalar from_bits(Kind kind, uint64_t bits) {
    Scalar s;
    s.kind_ = kind;
    s.value_.i = static_cast<int64_t>(bits);
    return s;
  }

  // A whole number that stands for an expression over symbols (a Size given as a number).
  bool is_symbolic() const { return expr_.defined(); }
  sym::Expr expr() const { return expr_; }

  // By kind, bits and expression: NaN equals itself, -0.0 differs from 0.0, 1 from 1.0.
  friend bool operator==(const Scalar& a, const Scalar& b) {
    if (a.kind_ != b.kind_ || !(a.expr_ == b.expr_)) return false;
    return a.expr_.defined() || a.value_.i == b.value_.i;
  }

 private:
  int64_t integer() const { return is_symbolic() ? size().value() : value_.i; }

  union Value {
    int64_t i = 0;
    double d;
  };
  Value value_;
  Kind kind_ = Kind::integer;
  sym::Expr expr_;
};
static_assert(sizeof(Scalar) == 24);

void append_to(std::string& out, const Scalar& scalar);  // true, 3, 3.0, s0 + 1
void add_to(Hasher& hasher, const Scalar& scalar);

}  // namespace vitro
