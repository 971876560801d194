// Elementwise functions that are written with ops.
#include "vitro/ops/arithmetic.h"

#include <cmath>
#include <limits>

#include "ops/by_formula.h"
#include "ops/complex_parts.h"
#include "ops/special_values.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"
#include "vitro/ops/unary.h"

namespace vitro {
namespace {

using namespace ops;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Two operands, one of which is a tensor, as tensors in the type of the computation.
struct Both {
  DType dtype;  // of the result
  Tensor a, b;

  Both(const ops::First& first, const Operand& second, DType result)
      : dtype(result), a(as_tensor(first.operand, second)), b(as_tensor(second, first.operand)) {}

 private:
  Tensor as_tensor(const Operand& one, const Operand& other) const {
    const DType wide = compute_type(dtype);
    if (one.is_tensor()) return to(one.tensor(), wide);
    return scalar_tensor(one.number(), wide, other.tensor().device());
  }
};

// x * f(y) for a logarithm f that is finite above `limit`; 0 where x is 0, except for y = NaN.
template <class F>
Tensor x_times(const ops::First& x, const Operand& y, int limit, F f) {
  const Both both(x, y, float_of(ops::result_type({&x.operand, &y})));
  const Value none = (both.a == 0) & ((both.b <= limit) | isinf(both.b));
  const Value product = both.a * f(ops::where(none, 1, both.b));
  return to(ops::where(none, 0, product), both.dtype);
}

}  // namespace

Tensor clamp_min(ops::At x, const Operand& min) {
  const CalledAs name("clamp_min", x.where);
  return clamp(x, min);
}

Tensor clamp_max(ops::At x, const Operand& max) {
  const CalledAs name("clamp_max", x.where);
  return clamp(x, {}, max);
}

// From the nearer end, so that a weight of 1 gives `end`. The terms are in the order in which the
// layout of the result follows from x before that of `end` and of the weight.
Tensor lerp(ops::At x, const Tensor& end, const Operand& weight) {
  const CalledAs name("lerp", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.dtype() == end.dtype(), "lerp: dtypes differ: ", t.dtype(), " and ", end.dtype(),
              "; cast one of them");
  VITRO_CHECK(!weight.is_tensor() || weight.tensor().dtype() == t.dtype(), "lerp: weight must be ",
              t.dtype(), ", got ", weight.tensor().dtype());
  const Tensor none, &by = weight.is_tensor() ? weight.tensor() : none;
  return region("lerp", {&t, &end, &by}, [&]() -> Tensor {
    const Value from = t.is_complex() ? Value(t) : Value(ops::widened("lerp", x));
    const Value wide = to(end, from.dtype());
    const Value back = from - wide;
    if (weight.is_number()) {
      if (weight.number().is_complex()) return from - back * weight.number();
      const double w = weight.number().as_double();
      return to(std::abs(w) < 0.5 ? from - back * w : back * (1 - w) + wide, t.dtype());
    }
    const Value w = to(weight.tensor(), from.dtype()), is_near = abs(w) < 0.5;
    return to(back * ops::where(is_near, -w, 1 - w) + ops::where(is_near, from, wide), t.dtype());
  });
}

namespace {

DType type_of_three(const ops::At& x, const Operand& a, const Operand& b) {
  return ops::result_type({&x.operand, &a, &b});
}

Tensor added(std::string_view op, const ops::At& x, const Tensor& term, const Scalar& value,
             DType dtype) {
  VITRO_CHECK(is_floating(dtype) || is_complex(dtype) || !value.is_floating(), op,
              ": value must be an integer for ", dtype, ", got ", value);
  check_holds(op, compute_type(dtype), value);
  const Value wide = to(x, compute_type(dtype));
  return to(wide + (value.is(1) ? term : term * value), dtype);
}

}  // namespace

Tensor addcmul(ops::At x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
  const CalledAs name("addcmul", x.where);
  const DType dtype = type_of_three(x, tensor1, tensor2);
  const auto wide = [&](const Tensor& t) { return to(t, compute_type(dtype)); };
  return region("addcmul", {&x.operand.tensor(), &tensor1, &tensor2},
                [&] { return added("addcmul", x, wide(tensor1) * wide(tensor2), value, dtype); });
}

Tensor addcdiv(ops::At x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
  const CalledAs name("addcdiv", x.where);
  const DType dtype = type_of_three(x, tensor1, tensor2);
  VITRO_CHECK(is_floating(dtype) || is_complex(dtype),
              "addcdiv: takes floating-point numbers, got ", dtype,
              "; cast them, or use div with a rounding mode");
  const auto wide = [&](const Tensor& t) { return to(t, compute_type(dtype)); };
  return region("addcdiv", {&x.operand.tensor(), &tensor1, &tensor2},
                [&] { return added("addcdiv", x, wide(tensor1) / wide(tensor2), value, dtype); });
}

Tensor xlogy(ops::First x, const Operand& other) {
  const CalledAs name("xlogy", x.where);
  return x_times(x, other, 0, [](const Tensor& y) -> Tensor { return log(y); });
}

Tensor xlog1py(ops::First x, const Operand& other) {
  const CalledAs name("special_xlog1py", x.where);
  return x_times(x, other, -1, [](const Tensor& y) -> Tensor { return log1p(y); });
}

namespace {

struct LogitAttrs {
  std::optional<double> eps;
  static constexpr void each(auto&& f) { f("eps", &LogitAttrs::eps); }
};
struct Logit : FormulaOfOne<Logit> {
  static constexpr std::string_view name = "logit";
  using Attrs = LogitAttrs;
  static void expand(std::span<const Operand> operands, AttrsView attrs,
                     std::span<Tensor> results) {
    const Tensor& x = operands[0].tensor();
    const DType dtype = float_of(x.dtype());
    const std::optional<double> eps = attrs.as<Attrs>().eps;
    Value wide = to(x, compute_type(dtype));
    if (eps) wide = clamp(wide, *eps, 1 - *eps);
    results[0] = to(log(wide / (1 - wide)), dtype);
  }
  static void gradient(Formula& f) {
    const std::optional<double> eps = f.attrs<Attrs>().eps;
    const double low = eps.value_or(0), beyond = eps ? 0 : NAN;
    const Value x = widened(f.tensor(0)), outside = (x < low) | (x > 1 - low);
    const Value inside = ops::where(outside, 0.5, x);
    f.set(0, ops::where(outside, beyond, widened(f.gradient()) / (inside * (1 - inside))));
  }
};

}  // namespace

Tensor logit(ops::At x, std::optional<double> eps) {
  const CalledAs name("logit", x.where);
  return by_formula<Logit>(x.where, {x.operand}, {eps});
}

namespace {

struct Sinc : FormulaOfOne<Sinc> {
  static constexpr std::string_view name = "sinc";
  static Tensor program(const Tensor& x) {
    if (const Value z = x; z.is_complex()) {
      const Value none = z == 0, angle = ops::where(none, 1, z * M_PI);
      return ops::where(none, 1, sin(angle) / angle);
    }
    const DType dtype = float_of(x.dtype());
    const Value wide = to(x, compute_type(dtype)), none = wide == 0;
    const Value angle = ops::where(none, 1, wide * M_PI);
    return to(ops::where(none, 1, sin(angle) / angle), dtype);
  }
  static void gradient(Formula& f) {
    f.set(0, widened(f.gradient()) * slope_of_sine_ratio(widened(f.tensor(0)) * M_PI) * M_PI);
  }
};

struct Entr : FormulaOfOne<Entr> {
  static constexpr std::string_view name = "special_entr";
  static Tensor program(const Tensor& x) {
    const DType dtype = float_of(x.dtype());
    const Value wide = to(x, compute_type(dtype)), inside = wide > 0;
    const Value product = -wide * log(ops::where(inside, wide, 1));
    const Value outside = ops::where(wide == 0, 0, ops::where(isnan(wide), wide, -infinity));
    return to(ops::where(inside, product, outside), dtype);
  }
  static void gradient(Formula& f) {
    f.set(0, -widened(f.gradient()) * (log(widened(f.tensor(0))) + 1));
  }
};

}  // namespace

// By the power series near 0, where the terms of the quotient cancel out.
Value ops::slope_of_sine_ratio(const Value& t) {
  constexpr double terms[] = {-1.0 / 3,
                              1.0 / 30,
                              -1.0 / 840,
                              1.0 / 45360,
                              -1.0 / 3991680,
                              1.0 / 518918400,
                              -1.0 / 93405312000,
                              1.0 / 22230464256000,
                              -1.0 / 6758061133824000};
  const Value is_near = (t < 1) & (t > -1);
  const Value near = ops::where(is_near, t, 0), far = ops::where(is_near, 1, t);
  const Value quotient = (far * Value(vitro::cos(far)) - sin(far)) / (far * far);
  return ops::where(is_near, near * polynomial(terms, near * near), quotient);
}

Tensor sinc(ops::At x) {
  const CalledAs name("sinc", x.where);
  return by_formula<Sinc>(x.where, {x.operand});
}

Tensor entr(ops::At x) {
  const CalledAs name("special_entr", x.where);
  return by_formula<Entr>(x.where, {x.operand});
}

Tensor ndtr(ops::At x) {
  const CalledAs name("special_ndtr", x.where);
  const DType dtype = float_of(x.operand.tensor().dtype());
  const Value wide = to(x, compute_type(dtype));
  return to(0.5 * erfc(wide * -0.7071067811865476), dtype);
}

double ops::largest(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 65504;
    case DType::bf16:
      return 0x1.fep127;
    case DType::f32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

Tensor nan_to_num(ops::At x, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  const CalledAs name("nan_to_num", x.where);
  const Tensor& t = x.operand.tensor();
  if (t.is_complex()) {
    const ops::Parts z = ops::parts_of(t);
    const auto of = [&](const Tensor& part) { return nan_to_num(part, nan, posinf, neginf); };
    return joined(ops::Parts{of(z.re), of(z.im)});
  }
  if (!is_floating(t.dtype())) return clone(x);
  const double limit = largest(t.dtype());
  const Value low = ops::where(t == -infinity, neginf.value_or(-limit), t);
  const Value high = ops::where(t == infinity, posinf.value_or(limit), low);
  return ops::where(isnan(t), nan.value_or(0), high);
}

Tensor isclose(ops::At x, const Tensor& other, double rtol, double atol, bool equal_nan) {
  const CalledAs name("isclose", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.dtype() == other.dtype(), "isclose: dtypes differ: ", t.dtype(), " and ",
              other.dtype(), "; cast one of them");
  VITRO_CHECK(rtol >= 0 && atol >= 0, "isclose: rtol and atol must not be negative, got ", rtol,
              " and ", atol);
  const bool has_kernel = is_floating(t.dtype()) || t.is_complex();
  const DType wide = has_kernel ? compute_type(t.dtype()) : DType::f64;
  const Value a = to(t, wide), b = to(other, wide), distance = abs(a - b);
  Value close = (a == b) | ((distance <= atol + abs(b) * rtol) & ~isinf(distance));
  if (equal_nan) close = close | (isnan(a) & isnan(b));
  return close;
}

Tensor isfinite(ops::At x) {
  const CalledAs name("isfinite", x.where);
  return ~(isnan(x.operand.tensor()) | isinf(x.operand.tensor()));
}
namespace {

// Complex numbers have no sign.
void check_ordered(std::string_view op, const ops::At& x) {
  VITRO_CHECK(!x.operand.tensor().is_complex(), op, ": is not defined for complex numbers, got ",
              x.operand.tensor().dtype());
}

}  // namespace

Tensor isposinf(ops::At x) {
  const CalledAs name("isposinf", x.where);
  check_ordered("isposinf", x);
  return x.operand.tensor() == infinity;
}
Tensor isneginf(ops::At x) {
  const CalledAs name("isneginf", x.where);
  check_ordered("isneginf", x);
  return x.operand.tensor() == -infinity;
}

Tensor heaviside(ops::At x, const Tensor& values) {
  const CalledAs name("heaviside", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.dtype() == values.dtype(), "heaviside: dtypes differ: ", t.dtype(), " and ",
              values.dtype(), "; cast one of them");
  return ops::where(t == 0, values, to(t > 0, t.dtype()));
}

namespace {

struct Hypot : FormulaOfTwo<Hypot> {
  static constexpr std::string_view name = "hypot";
  static Tensor program(const Tensor& x, const Tensor& other);
  static void gradient(Formula& f) {
    const Value of_each = widened(f.gradient()) / widened(f.result());
    for (size_t i = 0; i < 2; ++i) f.set(i, of_each * to(f.tensor(i), of_each.dtype()));
  }
};

// The larger one is taken out of the root.
Tensor Hypot::program(const Tensor& x, const Tensor& other) {
  const Operand first = x, second = other;
  const Both both(x, second, ops::result_type({&first, &second}));
  VITRO_CHECK(is_floating(both.dtype), "hypot: takes floating-point numbers, got ", both.dtype,
              "; cast them first");
  const Value a = abs(both.a), b = abs(both.b), high = ops::maximum(a, b), low = ops::minimum(a, b);
  const Value plain = (high == 0) | isinf(high);
  const Value ratio = ops::where(plain, 0, low) / ops::where(plain, 1, high);
  const Value made = high * sqrt(1 + ratio * ratio);
  return to(ops::where(isinf(a) | isinf(b), infinity, made), both.dtype);  // also beside NaN
}

}  // namespace

Tensor hypot(ops::At x, const Tensor& other) {
  const CalledAs name("hypot", x.where);
  return by_formula<Hypot>(x.where, {x.operand, other});
}

Tensor copysign(ops::At x, const Operand& other) {
  const CalledAs name("copysign", x.where);
  const Both both(x.operand.tensor(), other, float_of(ops::result_type({&x.operand, &other})));
  // 1 / -0 is negative.
  const Value negative = (both.b < 0) | ((both.b == 0) & (1 / both.b < 0));
  return to(abs(both.a) * (1 - to(negative, both.a.dtype()) * 2), both.dtype);
}

Tensor float_power(ops::First x, const Operand& exponent) {
  const CalledAs name("float_power", x.where);
  if (const DType dtype = ops::result_type({&x.operand, &exponent}); is_complex(dtype)) {
    const auto wide = [](const Operand& one) {
      return one.is_tensor() ? to(one.tensor(), DType::c128)
                             : scalar_tensor(one.number(), DType::c128);
    };
    return pow(wide(x.operand), wide(exponent));
  }
  const Both both(x, exponent, DType::f64);
  return pow(both.a, both.b);
}

Tensor ldexp(ops::At x, const Tensor& other) {
  const CalledAs name("ldexp", x.where);
  const Tensor& t = x.operand.tensor();
  if (!is_floating(t.dtype()) || !is_integer(other.dtype())) return t * pow(2.0, other);
  // 2^other may be out of range where the product is not.
  Value made = to(t, DType::f64), rest = clamp(to(other, DType::f64), -3000, 3000);
  for (int i = 0; i < 3; ++i) {
    const Value step = clamp(rest, -1000, 1000);
    made = made * Value(pow(2.0, step));
    rest = rest - step;
  }
  return to(made, t.dtype());
}

namespace {

// Operands of a shift as i64, and the dtype of its result.
struct Shift {
  DType dtype;
  Tensor x, by;

  Shift(std::string_view op, const ops::First& first, const Operand& other)
      : dtype(ops::result_type({&first.operand, &other})) {
    VITRO_CHECK(is_integer(dtype), op, ": takes integers, got ", dtype);
    const Both both(first, other, dtype);
    x = to(both.a, DType::i64);
    by = to(both.b, DType::i64);
  }
  // 2^n for each shift by n.
  Value power(const Tensor& n) const { return pow(scalar_tensor(2, DType::i64, x.device()), n); }
};

}  // namespace

Tensor bitwise_left_shift(ops::First x, const Operand& other) {
  const CalledAs name("bitwise_left_shift", x.where);
  const Shift shift("bitwise_left_shift", x, other);
  const auto bits = static_cast<int64_t>(bytes_of(shift.dtype)) * 8;
  const Value inside = (shift.by >= 0) & (shift.by < bits);
  const Value factor = shift.power(ops::where(inside, shift.by, 0)) * to(inside, DType::i64);
  return to(shift.x * factor, shift.dtype);
}

// A shift by 63 or more, in two steps because 2^63 is not an i64, leaves only the sign.
Tensor bitwise_right_shift(ops::First x, const Operand& other) {
  const CalledAs name("bitwise_right_shift", x.where);
  const Shift shift("bitwise_right_shift", x, other);
  const Value out = (shift.by < 0) | (shift.by >= 63);
  const Value most = ops::floor_divide(shift.x, shift.power(ops::where(out, 62, shift.by)));
  return to(ops::floor_divide(most, to(out, DType::i64) + 1), shift.dtype);
}

}  // namespace vitro
