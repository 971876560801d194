// A plain number that is passed to an op: bool, integer, floating-point or complex.  An integer may
// be symbolic: a size with its expression and its value in this run.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string>

#include "vitro/base/hash.h"
#include "vitro/core/dtype.h"
#include "vitro/sym/size.h"

namespace vitro {

class Scalar {
 public:
  enum class Kind : uint8_t { boolean, integer, floating, complex };

  Scalar() = default;
  Scalar(Size size)
      : rest_(size.is_symbolic() ? size.expr() : sym::Expr()), kind_(Kind::integer) {  // NOLINT
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

  template <std::floating_point T>
  Scalar(const std::complex<T>& v)  // NOLINT(google-explicit-constructor)
      : rest_(static_cast<double>(v.imag())), kind_(Kind::complex) {
    value_.d = static_cast<double>(v.real());
  }

  Kind kind() const { return kind_; }
  bool is_floating() const { return kind_ == Kind::floating; }
  bool is_complex() const { return kind_ == Kind::complex; }
  // The dtype with which it enters promotion: bool, i64, f64 or c128.
  DType dtype() const;
  // The number.  A symbolic one asks "is it this number?", which adds a guard, as Size::value does
  // (as_bool: "is it 0?").  Error if a complex number is asked for a real one.
  double as_double() const { return is_floating() ? value_.d : static_cast<double>(integer()); }
  int64_t as_int() const { return is_floating() ? static_cast<int64_t>(value_.d) : integer(); }
  std::complex<double> as_complex() const {
    return is_complex() ? std::complex<double>(value_.d, rest_.imaginary) : as_double();
  }
  bool as_bool() const { return !is(0); }
  // The number of this run, without a guard.
  Scalar hint() const { return is_complex() ? *this : from_bits(kind_, bits()); }
  // The integer (a floating-point number is truncated) with its expression, without a guard.
  Size size() const { return is_symbolic() ? Size(value_.i, rest_.expr) : Size(as_int()); }
  // Whether it is this number; guards on nothing else.
  bool is(int64_t number) const {
    if (is_complex()) return as_complex() == static_cast<double>(number);
    return is_floating() ? value_.d == static_cast<double>(number) : size() == number;
  }
  uint64_t bits() const {  // of the int64_t, of the double or of the real part
    return static_cast<uint64_t>(value_.i);
  }
  static Scalar from_bits(Kind kind, uint64_t bits) {
    Scalar s;
    s.kind_ = kind;
    s.value_.i = static_cast<int64_t>(bits);
    return s;
  }

  // Whether it is an integer with an expression over symbols (a Size passed as a number).
  bool is_symbolic() const { return !is_complex() && rest_.expr.defined(); }
  sym::Expr expr() const { return is_complex() ? sym::Expr() : rest_.expr; }

  // Compares kind, bits and expression: NaN equals itself, -0.0 differs from 0.0, 1 from 1.0.
  friend bool operator==(const Scalar& a, const Scalar& b) {
    if (a.kind_ != b.kind_) return false;
    if (a.is_complex()) return a.value_.i == b.value_.i && a.rest_.bits == b.rest_.bits;
    if (!(a.rest_.expr == b.rest_.expr)) return false;
    return a.is_symbolic() || a.value_.i == b.value_.i;
  }

 private:
  int64_t integer() const {
    if (is_complex()) [[unlikely]]
      refuse_as_real();
    return is_symbolic() ? size().value() : value_.i;
  }
  [[noreturn]] void refuse_as_real() const;

  union Value {
    int64_t i = 0;
    double d;
  };
  union Rest {
    sym::Expr expr;
    double imaginary;  // of a complex number
    uint64_t bits;
    Rest(sym::Expr e = {}) : expr(e) {}  // NOLINT(google-explicit-constructor)
    explicit Rest(double part) : imaginary(part) {}
  };
  Value value_;
  Rest rest_;
  Kind kind_ = Kind::integer;
};
static_assert(sizeof(Scalar) == 24);

void append_to(std::string& out, const Scalar& scalar);  // true, 3, 3.0, s0 + 1, 3+1j
void add_to(Hasher& hasher, const Scalar& scalar);

}  // namespace vitro
