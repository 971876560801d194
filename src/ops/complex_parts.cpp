// Arithmetic and elementary functions of complex numbers, on their real and imaginary parts.  The
// inverse functions are W. Kahan's ("Branch Cuts for Complex Elementary Functions", 1987): they
// lose no digits near the branch points.
#include "ops/complex_parts.h"

#include <numbers>

#include "ops/parts_by_formula.h"
#include "vitro/core/complex.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

using std::numbers::ln10;
using std::numbers::ln2;

// i * z and -i * z: functions of the circle are those of the hyperbola along the other axis.
Parts turned(const Parts& z) {
  return {-z.imaginary(), z.re};
}
Parts turned_back(const Parts& z) {
  return {z.imaginary(), -z.re};
}

// Re(conj(a) * b) and Im(conj(a) * b).
Value real_of_product(const Parts& a, const Parts& b) {
  return a.re * b.re + a.im * b.im;
}
Value imaginary_of_product(const Parts& a, const Parts& b) {
  return a.re * b.im - a.im * b.re;
}

Parts one_minus(const Parts& z) {
  return {1 - z.re, -z.imaginary()};
}
Parts one_plus(const Parts& z) {
  return {1 + z.re, z.imaginary()};
}

}  // namespace

Value Parts::imaginary() const {
  return im.defined() ? im : Value(zeros_like(re));
}

// Side by side: a concatenation of contiguous parts is a copy, and its result is contiguous; a
// choice takes broadcast parts and keeps the order of their strides.
Tensor joined(const Parts& z) {
  if (z.re.is_contiguous() && (z.is_real() || equal_sizes(z.re.sizes(), z.im.sizes())))
    return Tensor::as_complex(stack({z.re, z.imaginary()}, -1));
  const Value is_real = Value(arange(2, DType::i64, z.re.device())) < 1;
  const Value re = unsqueeze(z.re, -1);
  return Tensor::as_complex(z.is_real() ? where(is_real, re, 0)
                                        : where(is_real, re, unsqueeze(z.im, -1)));
}

Parts parts_of(const Tensor& x) {
  if (!x.is_complex()) return {x, {}};
  return {select(x.pairs(), -1, 0), select(x.pairs(), -1, 1)};
}

// ---- arithmetic ----

Parts operator+(const Parts& a, const Parts& b) {
  if (a.is_real() || b.is_real()) return {a.re + b.re, a.is_real() ? b.im : a.im};
  return {a.re + b.re, a.im + b.im};
}
Parts operator-(const Parts& a, const Parts& b) {
  return a + -b;
}
Parts operator-(const Parts& z) {
  return {-z.re, z.is_real() ? Value() : -z.im};
}
Parts operator*(const Parts& z, double number) {
  return {z.re * number, z.is_real() ? Value() : z.im * number};
}
Parts operator*(const Parts& a, const Parts& b) {
  if (b.is_real()) return {a.re * b.re, a.is_real() ? Value() : a.im * b.re};
  if (a.is_real()) return {a.re * b.re, a.re * b.im};
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

namespace {

// By R. Smith, "Algorithm 116: complex division" (1962): the smaller part of the divisor relative
// to the larger one, so that no square overflows or vanishes. complex_product.cpp has the same in
// one visit.
struct Quotient : OfParts {
  static constexpr std::string_view name = "div",
                                    signatures =
                                        "(Tensor self, Tensor self_imag, Tensor other, Tensor "
                                        "other_imag) -> (Tensor, Tensor)";
  static constexpr int arity = 4;
  static void shape(ShapeCall& call) {
    for (int k = 0; k < 2; ++k)
      shape_of_pointwise(call, {Promote::arithmetic, false, false}, Accepts::floating);
  }
  static Parts program(const Parts& a, const Parts& b);
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    set(results, program(operand(operands, 0), operand(operands, 1)));
  }
  static void gradient(Formula& f) {
    const Parts of_a = gradient_of(f) / conjugate(operand(f, 1));
    set(f, 0, of_a);
    if (wants(f, 1)) set(f, 1, -(of_a * conjugate(result(f))));
  }
};
Parts Quotient::program(const Parts& a, const Parts& b) {
  const Value im = a.imaginary(), size = abs(b.re), is_wide = size >= abs(b.im);
  const Value larger = where(is_wide, b.re, b.im), smaller = where(is_wide, b.im, b.re);
  const Value ratio = smaller / larger, scale = 1 / (larger + smaller * ratio);
  const Value first = where(is_wide, a.re, im), second = where(is_wide, im, a.re);
  const Value turned = first * ratio, is_zero = larger == 0;
  return {where(is_zero, a.re / size, (first + second * ratio) * scale),
          where(is_zero, im / size, where(is_wide, second - turned, turned - second) * scale)};
}

// At 0 it has an edge, and the gradient 0.
struct Modulus : FormulaOfTwo<Modulus> {
  static constexpr std::string_view name = "abs";
  static Tensor program(const Tensor& re, const Tensor& im) { return hypot(re, im); }
  static void gradient(Formula& f) {
    const Value none = f.result() == 0;
    const Value of_each = where(none, 0, f.gradient() / where(none, 1, f.result()));
    for (size_t i = 0; i < 2; ++i) f.set(i, of_each * f.tensor(i));
  }
};

}  // namespace

Parts operator/(const Parts& a, const Parts& b) {
  if (b.is_real()) return {a.re / b.re, a.is_real() ? Value() : a.im / b.re};
  if (!is_recorded(a) && !is_recorded(b)) return Quotient::program(a, b);
  return call_of_parts<Quotient>({a.re, a.imaginary(), b.re, b.im});
}

Value modulus(const Parts& z) {
  return z.is_real() ? abs(z.re) : Value(by_formula<Modulus>({}, {z.re, z.im}));
}
Value argument(const Parts& z) {
  return atan2(z.imaginary(), z.re);
}
Parts polar(const Tensor& modulus, const Tensor& angle) {
  return {Value(modulus) * vitro::cos(angle), Value(modulus) * vitro::sin(angle)};
}

// ---- exponentials and powers ----

Parts exp(const Parts& z) {
  return polar(exp(z.re), z.imaginary());
}
Parts exp2(const Parts& z) {
  return exp(z * ln2);
}
Parts expm1(const Parts& z) {
  const Value im = z.imaginary(), half = sin(im * 0.5);
  return {Value(vitro::expm1(z.re)) * vitro::cos(im) - half * half * 2, exp(z.re) * sin(im)};
}
Parts log(const Parts& z) {
  return {log(modulus(z)), argument(z)};
}
Parts log2(const Parts& z) {
  return log(z) * (1 / ln2);
}
Parts log10(const Parts& z) {
  return log(z) * (1 / ln10);
}
Parts log1p(const Parts& z) {
  const Value im = z.imaginary();
  return {log1p(z.re * (z.re + 2) + im * im) * 0.5, atan2(im, z.re + 1)};
}

// Less the larger real part, so that no exponential overflows. Of two numbers with the real part
// -inf the sum is 0, without an argument.
Parts log_add_exp(const Parts& a, const Parts& b) {
  const Value first = b.re < a.re, ai = a.imaginary(), bi = b.imaginary();
  const Parts high{where(first, a.re, b.re), where(first, ai, bi)};
  const Parts low{where(first, b.re, a.re), where(first, bi, ai)};
  const Parts near = high + log1p(exp(low - high)), far = log(exp(a) + exp(b));
  const Value are_far = (high.re == low.re) & isinf(high.re), are_none = are_far & (high.re < 0);
  const auto chosen = [&](const Value& limit, const Value& infinite, const Value& finite) {
    return where(are_none, limit, where(are_far, infinite, finite));
  };
  return {chosen(low.re, far.re, near.re), chosen(low.im, far.im, near.im)};
}

// The square root with the larger part first: the other follows from it without cancellation.
Parts sqrt(const Parts& z) {
  const Value im = z.imaginary();
  const Value larger = sqrt((abs(z.re) + modulus(z)) * 0.5);
  const Value smaller = where(larger == 0, 0, im / (larger * 2));
  const Value is_right = z.re >= 0;
  return {where(is_right, larger, abs(smaller)),
          where(is_right, smaller, Value(copysign(larger, im)))};
}
Parts rsqrt(const Parts& z) {
  return reciprocal(sqrt(z));
}
Parts reciprocal(const Parts& z) {
  return Parts{ones_like(z.re), {}} / z;
}
Parts sigmoid(const Parts& z) {
  return reciprocal(one_plus(exp(-z)));
}
Parts silu(const Parts& z) {
  return z * sigmoid(z);
}
Parts sign(const Parts& z) {
  const Value size = modulus(z), is_zero = size == 0;
  const Value divisor = where(is_zero, 1, size);
  return {where(is_zero, 0, z.re / divisor), where(is_zero, 0, z.imaginary() / divisor)};
}
// A modulus of 0 or infinity needs no angle, which is NaN for powers of 0.
Parts pow(const Parts& base, const Parts& exponent) {
  const Parts logarithm = log(base) * exponent, power = exp(logarithm);
  const Value size = exp(logarithm.re), vanishes = size == 0;
  const Value has_no_angle = isinf(size) & isnan(logarithm.imaginary());
  return {where(vanishes, 0, where(has_no_angle, size, power.re)),
          where(vanishes, 0, power.imaginary())};
}

// ---- trigonometric and hyperbolic functions ----

Parts sinh(const Parts& z) {
  const Value im = z.imaginary();
  return {Value(vitro::sinh(z.re)) * vitro::cos(im), Value(vitro::cosh(z.re)) * vitro::sin(im)};
}
Parts cosh(const Parts& z) {
  const Value im = z.imaginary();
  return {Value(vitro::cosh(z.re)) * vitro::cos(im), Value(vitro::sinh(z.re)) * vitro::sin(im)};
}
Parts tanh(const Parts& z) {
  const Value t = tanh(z.re), u = vitro::tan(z.imaginary());
  const Value tt = t * t, uu = u * u, size = tt * uu + 1;
  return {t * (uu + 1) / size, u * (1 - tt) / size};
}
Parts sin(const Parts& z) {
  return turned_back(sinh(turned(z)));
}
Parts cos(const Parts& z) {
  return cosh(turned(z));
}
Parts tan(const Parts& z) {
  return turned_back(tanh(turned(z)));
}
Parts asin(const Parts& z) {
  const Parts a = sqrt(one_minus(z)), b = sqrt(one_plus(z));
  return {atan2(z.re, a.re * b.re - a.im * b.im), vitro::asinh(imaginary_of_product(a, b))};
}
Parts acos(const Parts& z) {
  const Parts a = sqrt(one_minus(z)), b = sqrt(one_plus(z));
  return {Value(atan2(a.re, b.re)) * 2, vitro::asinh(imaginary_of_product(b, a))};
}
Parts asinh(const Parts& z) {
  return turned_back(asin(turned(z)));
}
Parts acosh(const Parts& z) {
  const Parts a = sqrt(Parts{z.re - 1, z.imaginary()}), b = sqrt(one_plus(z));
  return {vitro::asinh(real_of_product(a, b)), Value(atan2(a.im, b.re)) * 2};
}
// Of the right half plane, where the logarithm is that of a number above 1; odd.
Parts atanh(const Parts& z) {
  const Value re = abs(z.re), im = z.imaginary(), left = 1 - re, squared = im * im;
  const Value size = log1p(re * 4 / (left * left + squared)) * 0.25;
  return {copysign(size, z.re), Value(atan2(im * 2, left * (re + 1) - squared)) * 0.5};
}
Parts atan(const Parts& z) {
  return turned_back(atanh(turned(z)));
}

}  // namespace vitro::ops
