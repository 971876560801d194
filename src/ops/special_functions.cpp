// Special functions as compositions, and their table. A function has a polynomial for each part of
// its domain. Each is evaluated for all elements: for those outside of its part at a point inside,
// so that no infinity gets into a gradient.
#include "vitro/ops/special_functions.h"

#include <cmath>
#include <limits>

#include "bind.h"
#include "functions.h"
#include "ops/by_formula.h"
#include "ops/special_tables.h"
#include "ops/special_values.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/element_functions.h"
#include "vitro/ops/special.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using namespace ops;

constexpr double infinity = std::numeric_limits<double>::infinity();

Value fitted(const Fit& fit, const Value& x) {
  return polynomial(fit.terms, x * fit.scale + fit.offset);
}

// The elements of x in the part of the domain up to `middle`, and those above it, as NaN is.
struct Parts {
  Value is_near, near, far;
  Parts(const Value& x, double middle)
      : is_near(x <= middle),
        near(ops::where(is_near, x, middle)),
        far(ops::where(is_near, middle, x)) {}
  Value choose(const Value& of_near, const Value& of_far) const {
    return ops::where(is_near, of_near, of_far);
  }
};

// ---- I and K ----

constexpr double middle_of_i = 8, middle_of_k = 2;

// e^-|x| I(x).
Value scaled_i0(const Value& x) {
  const Parts parts(ops::abs(x), middle_of_i);
  return parts.choose(fitted(i0_near, parts.near),
                      fitted(i0_far, 1 / parts.far) / ops::sqrt(parts.far));
}
Value scaled_i1(const Value& x) {
  const Parts parts(ops::abs(x), middle_of_i);
  const Value near = ops::where(parts.is_near, x, 0) * fitted(i1_near, parts.near);
  const Value far = fitted(i1_far, 1 / parts.far) / ops::sqrt(parts.far);
  return parts.choose(near, ops::where(x < 0, -far, far));
}

Value k_of(int order, const Value& x, bool is_scaled) {
  const Parts parts(ops::where(x <= 0, 1, x), middle_of_k);
  const Value log = ops::log(parts.near * 0.5), square = parts.near * parts.near;
  const Value i = ops::exp(parts.near) * fitted(order == 0 ? i0_near : i1_near, parts.near);
  Value near = order == 0 ? fitted(k0_near, square) - log * i
                          : log * i * parts.near + fitted(k1_near, square) / parts.near;
  Value far = fitted(order == 0 ? k0_far : k1_far, 1 / parts.far) / ops::sqrt(parts.far);
  if (is_scaled)
    near = near * ops::exp(parts.near);
  else
    far = far * ops::exp(-parts.far);
  const Value none = ops::where(x == 0, infinity, full_like(x, NAN));
  return ops::where(x <= 0, none, parts.choose(near, far));
}

Tensor k_function(std::string_view op, const At& x, int order, bool is_scaled) {
  const CalledAs name(op, x.where);
  return rounded(k_of(order, wide_double(x), is_scaled), x);
}

// ---- J and Y ----

constexpr double middle_of_j = 8;

// The parts of |x|, and Hankel's expansion for those that are far.
struct Hankel {
  Parts parts;
  Value p, q, cosine, sine;  // with amplitude; of the phase |x| - (2 order + 1) pi / 4

  Hankel(int order, const Value& size) : parts(size, middle_of_j) {
    const Value inverse = 1 / parts.far, square = inverse * inverse;
    p = fitted(order == 0 ? p0_far : p1_far, square);
    q = inverse * fitted(order == 0 ? q0_far : q1_far, square);
    const Value amplitude = 1 / ops::sqrt(parts.far * M_PI);
    const Value c = amplitude * Value(vitro::cos(parts.far)), s = amplitude * ops::sin(parts.far);
    cosine = order == 0 ? c + s : s - c;
    sine = order == 0 ? s - c : -(s + c);
  }
  Value j() const { return p * cosine - q * sine; }
  Value y() const { return p * sine + q * cosine; }
};

Tensor j_function(std::string_view op, const At& x, int order) {
  const CalledAs name(op, x.where);
  const Value wide = wide_double(x);
  const Hankel h(order, ops::abs(wide));
  // not the absolute value, which has no second derivative
  const Value inside = ops::where(h.parts.is_near, wide, 0), square = inside * inside;
  if (order == 0) return rounded(h.parts.choose(fitted(j0_near, square), h.j()), x);
  const Value near = inside * fitted(j1_near, square), far = h.j();
  return rounded(h.parts.choose(near, ops::where(wide < 0, -far, far)), x);
}

Tensor y_function(std::string_view op, const At& x, int order) {
  const CalledAs name(op, x.where);
  const Value wide = wide_double(x);
  const Hankel h(order, ops::where(wide <= 0, 1, wide));
  const Value near = h.parts.near, square = near * near, log = ops::log(near) * M_2_PI;
  const Value of_near =
      order == 0 ? fitted(y0_near, square) + log * fitted(j0_near, square)
                 : near * (fitted(y1_near, square) + log * fitted(j1_near, square)) - M_2_PI / near;
  const Value none = ops::where(wide == 0, -infinity, full_like(wide, NAN));
  return rounded(ops::where(wide <= 0, none, h.parts.choose(of_near, h.y())), x);
}

// ---- the normal distribution ----

Value erfcx_of(const Value& x) {
  const Parts parts(x, 2);
  const Value inverse = 1 / parts.far;
  return parts.choose(ops::exp(parts.near * parts.near) * ops::erfc(parts.near),
                      inverse * fitted(erfcx_far, inverse * inverse));
}

// The x > 0 with a part q of the normal distribution above it, for q up to e^-2: its logarithm is
// -z^2 / 2.
Value quantile_of_tail(const Value& q) {
  const Parts parts(ops::sqrt(ops::log(q) * -2), 8);
  const Value z = parts.choose(parts.near, parts.far);
  const Value rest =
      parts.choose(fitted(ndtri_tail, 1 / parts.near), fitted(ndtri_far, 1 / parts.far));
  return z - (ops::log(z) + rest) / z;
}

// ---- functions whose programs have no derivative, or not the second one, at some points ----

Value double_gradient(const Formula& f) {
  return ops::to(f.gradient(), DType::f64);
}
Value double_operand(const Formula& f) {
  return ops::to(f.tensor(0), DType::f64);
}

struct I0 : FormulaOfOne<I0> {
  static constexpr std::string_view name = "i0";
  static Tensor program(const Tensor& x) {
    const Value wide = wide_double(x);
    return rounded(ops::exp(ops::abs(wide)) * scaled_i0(wide), x);
  }
  static void gradient(Formula& f) { f.set(0, double_gradient(f) * special_i1(double_operand(f))); }
};
struct I0e : FormulaOfOne<I0e> {
  static constexpr std::string_view name = "special_i0e";
  static Tensor program(const Tensor& x) { return rounded(scaled_i0(wide_double(x)), x); }
  static void gradient(Formula& f) {
    const Value x = double_operand(f);
    f.set(0, double_gradient(f) * (Value(special_i1e(x)) - Value(sign(x)) * Value(special_i0e(x))));
  }
};

struct SphericalJ0 : FormulaOfOne<SphericalJ0> {
  static constexpr std::string_view name = "special_spherical_bessel_j0";
  static Tensor program(const Tensor& x) {
    const Value wide = wide_double(x), is_zero = wide == 0, far = ops::isinf(wide);
    const Value inside = ops::where(is_zero | far, 1, wide);
    return rounded(ops::where(is_zero, 1, ops::where(far, 0, ops::sin(inside) / inside)), x);
  }
  static void gradient(Formula& f) {
    const Value x = double_operand(f), far = ops::isinf(x);
    const Value slope = slope_of_sine_ratio(ops::where(far, 0, x));
    f.set(0, double_gradient(f) * slope);
  }
};

struct Ndtri : FormulaOfOne<Ndtri> {
  static constexpr std::string_view name = "special_ndtri";
  static Tensor program(const Tensor& p) {
    const Value wide = wide_double(p), upper = wide > 0.5;
    const Value q = ops::where(upper, 1 - wide, wide), inside = q > 0;
    const Value in_tail = inside & (q < 0.1353352832366127), y = ops::where(in_tail, 0, wide - 0.5);
    const Value center = y * fitted(ndtri_center, ops::where(inside, y * y, 0));
    const Value tail = quantile_of_tail(ops::where(in_tail, q, 0.1));
    const Value all = ops::where(in_tail, ops::where(upper, tail, -tail), center);
    const Value edge =
        ops::where(wide == 0, -infinity, ops::where(wide == 1, infinity, full_like(wide, NAN)));
    return rounded(ops::where(inside, all, edge), p);
  }
  static void gradient(Formula& f) {
    const Value y = special_ndtri(double_operand(f));
    f.set(0, double_gradient(f) * ops::exp(y * y * 0.5) * std::sqrt(2 * M_PI));
  }
};

}  // namespace

Tensor special_i0e(ops::At x) {
  const CalledAs name("special_i0e", x.where);
  return by_formula<I0e>(x.where, {x.operand});
}
Tensor i0(ops::At x) {
  const CalledAs name("i0", x.where);
  return by_formula<I0>(x.where, {x.operand});
}
Tensor special_i1e(ops::At x) {
  const CalledAs name("special_i1e", x.where);
  return rounded(scaled_i1(wide_double(x)), x);
}
Tensor special_i1(ops::At x) {
  const CalledAs name("special_i1", x.where);
  const Value wide = wide_double(x);
  return rounded(ops::exp(ops::abs(wide)) * scaled_i1(wide), x);
}
Tensor special_modified_bessel_k0(ops::At x) {
  return k_function("special_modified_bessel_k0", x, 0, false);
}
Tensor special_modified_bessel_k1(ops::At x) {
  return k_function("special_modified_bessel_k1", x, 1, false);
}
Tensor special_scaled_modified_bessel_k0(ops::At x) {
  return k_function("special_scaled_modified_bessel_k0", x, 0, true);
}
Tensor special_scaled_modified_bessel_k1(ops::At x) {
  return k_function("special_scaled_modified_bessel_k1", x, 1, true);
}
Tensor special_bessel_j0(ops::At x) {
  return j_function("special_bessel_j0", x, 0);
}
Tensor special_bessel_j1(ops::At x) {
  return j_function("special_bessel_j1", x, 1);
}
Tensor special_bessel_y0(ops::At x) {
  return y_function("special_bessel_y0", x, 0);
}
Tensor special_bessel_y1(ops::At x) {
  return y_function("special_bessel_y1", x, 1);
}
Tensor special_spherical_bessel_j0(ops::At x) {
  const CalledAs name("special_spherical_bessel_j0", x.where);
  return by_formula<SphericalJ0>(x.where, {x.operand});
}

Tensor special_airy_ai(ops::At x) {
  const CalledAs name("special_airy_ai", x.where);
  const Value wide = wide_double(x), left = wide < -4, right = wide > 2;
  const Value middle = ops::where(left | right, 0, wide);
  // far out on both sides: of z = |x|
  const Value z = ops::where(left, -wide, ops::where(right, wide, 4)), root = ops::sqrt(z);
  const Value s = z * root * (2.0 / 3), inverse = 1 / s, square = inverse * inverse;
  const Value amplitude = 1 / ops::sqrt(root * M_PI);
  const Value of_right =
      amplitude * 0.5 * ops::exp(-s) * fitted(airy_far, ops::where(right, inverse, 0.25));
  const Value decays = ops::where(left, square, 0.01), angle = ops::where(left, s, 0);
  const Value c = vitro::cos(angle - M_PI_4), d = ops::sin(angle - M_PI_4);
  const Value of_left = amplitude * (c * fitted(airy_p, decays) +
                                     d * ops::where(left, inverse, 0.1) * fitted(airy_q, decays));
  const Value y =
      ops::where(left, of_left, ops::where(right, of_right, fitted(airy_middle, middle)));
  return rounded(ops::where(ops::isinf(wide), NAN, y), x);
}

Tensor special_erfcx(ops::At x) {
  const CalledAs name("special_erfcx", x.where);
  return rounded(erfcx_of(wide_double(x)), x);
}
Tensor special_log_ndtr(ops::At x) {
  const CalledAs name("special_log_ndtr", x.where);
  const Value wide = wide_double(x), low = wide < -1;
  const Value left = ops::where(low, wide, -1), right = ops::where(low, 0, wide);
  const Value of_left = ops::log(erfcx_of(left * -M_SQRT1_2) * 0.5) - left * left * 0.5;
  return rounded(ops::where(low, of_left, ops::log1p(ops::erfc(right * M_SQRT1_2) * -0.5)), x);
}
Tensor special_ndtri(ops::At p) {
  const CalledAs name("special_ndtri", p.where);
  return by_formula<Ndtri>(p.where, {p.operand});
}

Tensor polygamma(int64_t n, ops::At x) {
  const CalledAs name("polygamma", x.where);
  VITRO_CHECK(n >= 0, "polygamma: n must not be negative, got ", n);
  if (n == 0) return digamma(x);
  const double order = static_cast<double>(n), factor = std::tgamma(order + 1);
  const Value wide = wide_double(x);
  Value sum = special_zeta(First(order + 1, x.where), wide);
  if (n == 1) sum = ops::where(wide == infinity, 0, sum);  // as torch, which has NaN for others
  return rounded(sum * (n % 2 == 1 ? factor : -factor), x);
}

Tensor mvlgamma(ops::At x, int64_t p) {
  const CalledAs name("mvlgamma", x.where);
  VITRO_CHECK(p >= 1, "mvlgamma: p must be at least 1, got ", p);
  const Value wide = wide_double(x), halves = arange(p, DType::f64, wide.device());
  const Value each = lgamma(Value(unsqueeze(wide, -1)) - halves * 0.5);
  const double count = static_cast<double>(p);
  return rounded(sum(each, Dims{-1}) + count * (count - 1) / 4 * std::log(M_PI), x);
}

// ---- the table ----

namespace ops {
namespace {

Tensor polygamma_of(At x, int64_t n) {
  return polygamma(n, x);
}
Tensor polygamma_by_order(int64_t n, const Tensor& x, std::source_location from) {
  return polygamma(n, {x, from});
}
Tensor lcm_of(At x, const Tensor& other) {
  return lcm(x, other);
}

constexpr NamedFunction rows[] = {
    {"i0", "The modified Bessel function I of order 0.", "(Tensor self) -> Tensor", bound<&i0>},
    {"i0_", "The modified Bessel function I of order 0.", "(Tensor(a!) self) -> Tensor(a!)",
     written<&i0>},
    {"special_i0e", "e^-|x| i0(x).", "(Tensor self) -> Tensor", bound<&special_i0e>},
    {"special_i1", "The modified Bessel function I of order 1.", "(Tensor self) -> Tensor",
     bound<&special_i1>},
    {"special_i1e", "e^-|x| special_i1(x).", "(Tensor self) -> Tensor", bound<&special_i1e>},
    {"special_modified_bessel_k0", "The modified Bessel function K of order 0.",
     "(Tensor self) -> Tensor", bound<&special_modified_bessel_k0>},
    {"special_modified_bessel_k1", "The modified Bessel function K of order 1.",
     "(Tensor self) -> Tensor", bound<&special_modified_bessel_k1>},
    {"special_scaled_modified_bessel_k0", "e^x special_modified_bessel_k0(x).",
     "(Tensor x) -> Tensor", bound<&special_scaled_modified_bessel_k0>},
    {"special_scaled_modified_bessel_k1", "e^x special_modified_bessel_k1(x).",
     "(Tensor x) -> Tensor", bound<&special_scaled_modified_bessel_k1>},
    {"special_bessel_j0", "The Bessel function J of order 0.", "(Tensor self) -> Tensor",
     bound<&special_bessel_j0>},
    {"special_bessel_j1", "The Bessel function J of order 1.", "(Tensor self) -> Tensor",
     bound<&special_bessel_j1>},
    {"special_bessel_y0", "The Bessel function Y of order 0.", "(Tensor self) -> Tensor",
     bound<&special_bessel_y0>},
    {"special_bessel_y1", "The Bessel function Y of order 1.", "(Tensor self) -> Tensor",
     bound<&special_bessel_y1>},
    {"special_spherical_bessel_j0", "sin(x) / x.", "(Tensor x) -> Tensor",
     bound<&special_spherical_bessel_j0>},
    {"special_airy_ai", "The Airy function Ai.", "(Tensor x) -> Tensor", bound<&special_airy_ai>},
    {"special_erfcx", "e^(x^2) erfc(x).", "(Tensor self) -> Tensor", bound<&special_erfcx>},
    {"special_ndtri", "The x with a part p of the normal distribution below it.",
     "(Tensor self) -> Tensor", bound<&special_ndtri>},
    {"special_log_ndtr", "The logarithm of the part of the normal distribution below x.",
     "(Tensor self) -> Tensor", bound<&special_log_ndtr>},
    {"polygamma", "The derivative of order n of digamma.", "(int n, Tensor self) -> Tensor",
     bound<&polygamma_by_order>},
    {"polygamma_", "The derivative of order n of digamma.",
     "(Tensor(a!) self, int n) -> Tensor(a!)", written<&polygamma_of>},
    {"mvlgamma", "The logarithm of the multivariate gamma function.",
     "(Tensor self, int p) -> Tensor", bound<&mvlgamma>},
    {"mvlgamma_", "The logarithm of the multivariate gamma function.",
     "(Tensor(a!) self, int p) -> Tensor(a!)", written<&mvlgamma>},
    {"lgamma_", "The logarithm of |gamma(x)|.", "(Tensor(a!) self) -> Tensor(a!)",
     written<&lgamma>},
    {"digamma_", "The derivative of lgamma.", "(Tensor(a!) self) -> Tensor(a!)", written<&digamma>},
    {"erfinv_", "The inverse of erf.", "(Tensor(a!) self) -> Tensor(a!)", written<&erfinv>},
    {"lcm", "The least common multiple, not negative.", "(Tensor self, Tensor other) -> Tensor",
     bound<&lcm_of>},
    {"lcm_", "The least common multiple, not negative.",
     "(Tensor(a!) self, Tensor other) -> Tensor(a!)", written<&lcm_of>},
};

}  // namespace

std::span<const NamedFunction> special_functions() {
  return rows;
}

}  // namespace ops
}  // namespace vitro
