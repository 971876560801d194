// Kernels of functions of elements: each reads its operands as f64 or i64 numbers, whatever their
// dtypes and strides, and calls a function of two numbers for each element of the result.
#include "vitro/ops/element_functions.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "ops/value.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/create.h"
#include "vitro/ops/special.h"
#include "vitro/ops/unary.h"

namespace vitro::ops {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// ---- elements ----

// An element as a number of type C, and back.
template <class C, class T>
C read(const void* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<C>(x);
  else
    return static_cast<C>(static_cast<float>(x));
}
template <class C, class T>
void write(void* to, C value) {
  T x;
  if constexpr (std::is_arithmetic_v<T>)
    x = static_cast<T>(value);
  else
    x = T(static_cast<float>(value));
  std::memcpy(to, &x, sizeof x);
}
template <class C>
using Read = C (*)(const void* from);
template <class C>
using Write = void (*)(void* to, C value);
template <class C>
Read<C> read_of(DType dtype) {
  return dispatch(dtype, []<class T>() -> Read<C> { return &read<C, T>; });
}
template <class C>
Write<C> write_of(DType dtype) {
  return dispatch(dtype, []<class T>() -> Write<C> { return &write<C, T>; });
}

// An operand expanded to the sizes of the result, rounded to its dtype.
template <class C>
class Source {
 public:
  Source(const OpaqueOperand& operand, const OpaqueTensor& result)
      : round_(write_of<C>(result.dtype)),
        again_(read_of<C>(result.dtype)),
        strides_(result.sizes.size(), 0) {
    if (operand.kind == Operand::Kind::number) {
      number_ = rounded(std::is_integral_v<C> ? static_cast<C>(operand.number.as_int())
                                              : static_cast<C>(operand.number.as_double()));
      return;
    }
    const OpaqueTensor& t = operand.tensor;
    data_ = static_cast<const std::byte*>(t.data);
    read_ = read_of<C>(t.dtype);
    const size_t missing = strides_.size() - t.sizes.size();
    for (size_t d = 0; d < t.sizes.size(); ++d)
      if (t.sizes[d] != 1) strides_[missing + d] = t.strides[d] * bytes_of(t.dtype);
  }
  // The number `offset` bytes after the first one.
  C at(int64_t offset) const { return data_ ? rounded(read_(data_ + offset)) : number_; }
  int64_t stride(size_t d) const { return strides_[d]; }

 private:
  C rounded(C value) const {
    double memory;
    round_(&memory, value);
    return again_(&memory);
  }
  const std::byte* data_ = nullptr;
  Read<C> read_ = nullptr;
  Write<C> round_;
  Read<C> again_;
  C number_ = 0;
  std::vector<int64_t> strides_;
};

// result = f(dtype of the result, operand 0, operand 1) for each element.
template <class C>
using Function = C (*)(DType dtype, C a, C b);
template <class C>
void each_element(const OpaqueCall& call, Function<C> f) {
  const OpaqueTensor& out = call.results[0];
  const Source<C> a(call.operands[0], out), b(call.operands[1], out);
  const Write<C> write = write_of<C>(out.dtype);
  const size_t rank = out.sizes.size();
  int64_t count = 1, of_a = 0, of_b = 0, of_out = 0;
  for (const int64_t size : out.sizes) count *= size;
  std::vector<int64_t> index(rank, 0);
  const int64_t bytes = bytes_of(out.dtype);
  for (int64_t i = 0; i < count; ++i) {
    write(static_cast<std::byte*>(out.data) + of_out, f(out.dtype, a.at(of_a), b.at(of_b)));
    for (size_t d = rank; d-- > 0;) {
      const bool wraps = ++index[d] == out.sizes[d];
      const int64_t steps = wraps ? 1 - out.sizes[d] : 1;
      of_a += steps * a.stride(d);
      of_b += steps * b.stride(d);
      of_out += steps * out.strides[d] * bytes;
      if (!wraps) break;
      index[d] = 0;
    }
  }
}

void shape_of(ShapeCall& call, Promote promote, Accepts accepts) {
  const PointwiseInfo info{promote, false, false};
  shape_of_pointwise(call, info, accepts);
}

// ---- integers, neighbours ----

int64_t gcd_of(DType, int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = b == -1 ? 0 : a % b;
    a = b;
    b = rest;
  }
  return a < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a;
}

// The half after x: its bits, as a number with a sign, are one more or less.
template <class T>
double half_after(double x, double other) {
  if (std::isnan(x) || std::isnan(other)) return nan;
  if (x == other) return other;
  T half(static_cast<float>(x));
  if (x == 0)
    half.bits = static_cast<uint16_t>(other < 0 ? 0x8001 : 1);
  else
    half.bits = static_cast<uint16_t>(half.bits + ((other > x) == (x > 0) ? 1 : -1));
  return static_cast<float>(half);
}

double after(DType dtype, double x, double other) {
  if (dtype == DType::f64) return std::nextafter(x, other);
  if (dtype == DType::f32) return std::nextafter(static_cast<float>(x), static_cast<float>(other));
  return dtype == DType::f16 ? half_after<Half>(x, other) : half_after<BFloat16>(x, other);
}

// ---- zeta ----

// B[2k] / (2k)! for k = 1, 2, ...
constexpr double zeta_terms[] = {1.0 / 12,
                                 -1.0 / 720,
                                 1.0 / 30240,
                                 -1.0 / 1209600,
                                 1.0 / 47900160,
                                 -691.0 / 1307674368000,
                                 1.0 / 74724249600,
                                 -3617.0 / 10670622842880000,
                                 43867.0 / 5109094217170944000,
                                 -174611.0 / 802857662698291200000.0};

// By the formula of Euler and Maclaurin.
double zeta_of_positive(double x, double q) {
  double sum = 0, a = q;
  for (int i = 0; i < 9 || a <= 9; ++i, a += 1) {
    const double term = std::pow(a, -x);
    sum += term;
    if (term < epsilon / 2 * sum) return sum;
  }
  double power = std::pow(a, -x);
  sum += power * a / (x - 1) + power / 2;
  double factor = x, k = 0;
  power /= a;
  for (const double term : zeta_terms) {
    const double more = term * factor * power;
    sum += more;
    if (std::abs(more) < epsilon / 2 * sum) break;
    factor *= (x + k + 1) * (x + k + 2);
    power /= a * a;
    k += 2;
  }
  return sum;
}

// Of an even or odd x: the n terms of negative numbers, which have the sizes from `below` on to -q,
// in pairs with the first n of the others, which begin at `above`. The large terms of an odd x may
// cancel out, those of q = -1/2 all.
double zeta_of_negative(double x, double q) {
  const double n = std::ceil(-q), below = std::ceil(q) - q, above = 1 - below;
  const double sign = std::fmod(x, 2) == 0 ? 1 : -1, apart = std::fmin(n, 16);
  double sum = 0;
  for (double k = apart - 1; k >= 0; --k)
    sum += std::pow(above + k, -x) + sign * std::pow(below + k, -x);
  const auto between = [&](double from) {
    return apart == n ? 0 : zeta_of_positive(x, from + apart) - zeta_of_positive(x, from + n);
  };
  return zeta_of_positive(x, above + n) + (between(above) + sign * between(below)) + sum;
}

double zeta_of(DType, double x, double q) {
  if (x == 1) return infinity;
  if (x < 1 || std::isnan(q)) return nan;
  if (q > 0) return zeta_of_positive(x, q);
  if (q == std::floor(q)) return infinity;
  if (x != std::floor(x)) return nan;  // powers of negative numbers
  return zeta_of_negative(x, q);
}

// ---- incomplete gamma functions ----

// log(1 + x) - x, without cancellation near 0.
double log1p_less_x(double x) {
  if (std::abs(x) > 0.5) return std::log1p(x) - x;
  // with r = x / (2 + x): log(1 + x) = 2 (r + r^3 / 3 + ...), and x = 2 r / (1 - r)
  const double r = x / (2 + x), square = r * r;
  double sum = 0, power = r * square;
  for (int k = 3; std::abs(power) > epsilon * epsilon && k < 60; k += 2, power *= square)
    sum += power / k;
  return 2 * sum - r * x;
}

// log(gamma(a)) - Stirling's (a - 1/2) log(a) - a + log(2 pi) / 2, for large a.
double rest_of_stirling(double a) {
  const double inverse = 1 / a, square = inverse * inverse;
  return inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
}

// x^a e^-x / gamma(a + 1), for both finite and positive.
double gamma_density(double a, double x) {
  if (a < 16) {
    const double power = std::exp(-x);
    return power == 0 ? 0 : std::pow(x, a) * power / std::tgamma(a + 1);
  }
  const double mu = (x - a) / a;  // near -1 it has few digits of x
  const double power = a * (mu < -0.5 ? std::log(x / a) - mu : log1p_less_x(mu));
  return std::exp(power - rest_of_stirling(a)) / std::sqrt(2 * M_PI * a);
}

constexpr int most_terms = 100000;

// P(a, x) by its series, for x up to about a.
double lower_gamma(double a, double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < most_terms && term > epsilon / 8 * sum; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return gamma_density(a, x) * sum;
}

// Q(a, x) by its continued fraction (Lentz's algorithm), for x above 1 and about a.
double upper_gamma(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / (b == 0 ? tiny : b), product = d;
  for (int k = 1; k < most_terms; ++k) {
    const double numerator = k * (a - k);
    b += 2;
    d = numerator * d + b;
    c = b + numerator / c;
    d = 1 / (d == 0 ? tiny : d);
    if (c == 0) c = tiny;
    product *= c * d;
    if (std::abs(c * d - 1) < epsilon) break;
  }
  return gamma_density(a, x) * a * product;
}

// log(gamma(1 + a)) for 0 < a < 0.5.
double lgamma_of_next(double a) {
  if (a > 1e-4) return std::log(std::tgamma(1 + a));
  return a * (-0.5772156649015329 +
              a * (0.8224670334241132 - a * (0.4006856343865314 - a * 0.2705808084277845)));
}

// Q(a, x) for small x and a, where it is near 0 and P near 1: by x^a / gamma(a + 1) - 1.
double upper_gamma_of_small(double a, double x) {
  double term = 1, sum = 0;
  for (int k = 1; k < 100 && std::abs(term) > epsilon * 1e-3; ++k) {
    term *= -x / k;
    sum += term / (a + k);
  }
  const double power = a * std::log(x) - lgamma_of_next(a);
  return -std::expm1(power) - a * std::exp(power) * sum;
}

// Q(a, x) for large a near x: the normal distribution, and the first terms of Temme's expansion,
// by N. Temme, "The asymptotic expansion of the incomplete gamma functions" (1979).
double upper_gamma_of_large(double a, double x) {
  const double mu = (x - a) / a, half_square = -log1p_less_x(mu);
  const double eta = std::copysign(std::sqrt(2 * half_square), mu);
  const double first =
      std::abs(eta) < 1e-3 ? -1.0 / 3 + eta * (1.0 / 12 - eta * 2.0 / 135) : 1 / mu - 1 / eta;
  return std::erfc(eta * std::sqrt(a / 2)) / 2 +
         std::exp(-a * half_square) / std::sqrt(2 * M_PI * a) * first;
}

// P and Q; `upper` chooses.
double incomplete_gamma(double a, double x, bool upper) {
  const double all = upper ? 0 : 1, none = upper ? 1 : 0;  // x = infinity, x = 0
  if (!(a >= 0) || !(x >= 0)) return nan;
  if (a == 0) return x > 0 ? all : nan;
  if (x == 0) return none;
  if (std::isinf(a)) return std::isinf(x) ? nan : none;
  if (std::isinf(x)) return all;
  if (a > 1e8 && std::abs(x - a) < 0.3 * a) {
    const double q = upper_gamma_of_large(a, x);
    return upper ? q : 1 - q;
  }
  if (x > 1.1 && x > a) {
    const double q = upper_gamma(a, x);
    return upper ? q : 1 - q;
  }
  if (upper && a < 0.5 && x < 1.1) return upper_gamma_of_small(a, x);
  const double p = lower_gamma(a, x);
  return upper ? 1 - p : p;
}

// ---- orthogonal polynomials ----

constexpr int64_t most_steps = 1000000;

// The polynomial of degree n by its recurrence, from those of degrees 0, which is 1, and 1:
// p[k + 1] = next(k, p[k], p[k - 1]). NaN if that takes too long.
template <class F>
double by_recurrence(int64_t n, double of_1, F&& next) {
  double before = 1, p = of_1;
  if (n == 0) return before;
  if (n > most_steps) return nan;
  for (int64_t k = 1; k < n && !std::isnan(p); ++k) {
    const double one_more = next(static_cast<double>(k), p, before);
    before = p;
    p = one_more;
  }
  return p;
}

int64_t degree_of(double n) {
  constexpr double most = 9e18;
  return std::isnan(n) ? -1 : static_cast<int64_t>(std::fmax(-1, std::fmin(n, most)));
}

// The four kinds of Chebyshev's polynomials have one recurrence; of degree 1 they are
// `slope` * x + `offset`. Within (-1, 1) high degrees are quotients of sines and cosines.
struct Kind {
  double slope, offset;
  double (*inside)(double n, double angle);
};
constexpr Kind kind_t{1, 0, [](double n, double angle) { return std::cos(n * angle); }};
constexpr Kind kind_u{
    2, 0, [](double n, double angle) { return std::sin((n + 1) * angle) / std::sin(angle); }};
constexpr Kind kind_v{2, -1, [](double n, double angle) {
                        return std::cos((n + 0.5) * angle) / std::cos(angle / 2);
                      }};
constexpr Kind kind_w{
    2, 1, [](double n, double angle) { return std::sin((n + 0.5) * angle) / std::sin(angle / 2); }};

double chebyshev(const Kind& kind, double x, double degree) {
  const int64_t n = degree_of(degree);
  if (n < 0) return 0;
  const auto real = static_cast<double>(n);
  if (std::abs(x) == 1) {
    // at 1 the limit of the quotients; at -1 that of the polynomial whose offset has the other sign
    const double offset = x > 0 ? kind.offset : -kind.offset;
    const double value = kind.slope == 1 ? 1
                         : offset < 0    ? 1
                         : offset > 0    ? 2 * real + 1
                                         : real + 1;
    return x > 0 || n % 2 == 0 ? value : -value;
  }
  if (n > 8 && std::abs(x) < 1) return kind.inside(real, std::acos(x));
  return by_recurrence(n, kind.slope * x + kind.offset,
                       [&](double, double p, double before) { return 2 * x * p - before; });
}

template <const Kind& kind, bool shifted>
void chebyshev_kernel(const OpaqueCall& call) {
  each_element<double>(
      call, [](DType, double x, double n) { return chebyshev(kind, shifted ? 2 * x - 1 : x, n); });
}

// NaN of degrees beyond torch's limit. factor: 2 for the physicists' polynomials.
double hermite(DType dtype, double factor, double x, double degree) {
  const int64_t n = degree_of(degree), most = dtype == DType::f64 ? 512 : 128;
  if (n < 0) return 0;
  if (n > most) return nan;
  return by_recurrence(n, factor * x, [&](double k, double p, double before) {
    return factor * (x * p - k * before);
  });
}

double laguerre(DType, double x, double degree) {
  const int64_t n = degree_of(degree);
  if (n < 0) return 0;
  if (x == 0) return 1;
  return by_recurrence(n, 1 - x, [&](double k, double p, double before) {
    return ((k + k + 1 - x) * p - k * before) / (k + 1);
  });
}

double legendre(DType, double x, double degree) {
  const int64_t n = degree_of(degree);
  if (n < 0) return 0;
  if (std::abs(x) == 1) return x > 0 || n % 2 == 0 ? 1 : -1;
  return by_recurrence(n, x, [&](double k, double p, double before) {
    return ((k + k + 1) * x * p - k * before) / (k + 1);
  });
}

}  // namespace

// ---- ops ----

void Gcd::shape(ShapeCall& call) {
  shape_of(call, Promote::arithmetic, Accepts::not_floating);
  VITRO_CHECK(!is_bool(call.results[0].dtype), call.op, ": takes integers, got bool");
}
void Nextafter::shape(ShapeCall& call) {
  shape_of(call, Promote::arithmetic, Accepts::floating);
}
void Zeta::shape(ShapeCall& call) {
  shape_of(call, Promote::to_float, Accepts::all);
}
void Igamma::shape(ShapeCall& call) {
  shape_of(call, Promote::arithmetic, Accepts::floating);
}
void Igammac::shape(ShapeCall& call) {
  shape_of(call, Promote::arithmetic, Accepts::floating);
}
void OrthogonalPolynomial::shape(ShapeCall& call) {
  shape_of(call, Promote::to_float, Accepts::all);
}

void Gcd::kernel(const OpaqueCall& call) {
  each_element<int64_t>(call, &gcd_of);
}
void Nextafter::kernel(const OpaqueCall& call) {
  each_element<double>(call, &after);
}
void Zeta::kernel(const OpaqueCall& call) {
  each_element<double>(call, &zeta_of);
}
void Igamma::kernel(const OpaqueCall& call) {
  each_element<double>(call,
                       [](DType, double a, double x) { return incomplete_gamma(a, x, false); });
}
void Igammac::kernel(const OpaqueCall& call) {
  each_element<double>(call,
                       [](DType, double a, double x) { return incomplete_gamma(a, x, true); });
}
void ChebyshevT::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_t, false>(call);
}
void ChebyshevU::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_u, false>(call);
}
void ChebyshevV::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_v, false>(call);
}
void ChebyshevW::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_w, false>(call);
}
void ShiftedChebyshevT::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_t, true>(call);
}
void ShiftedChebyshevU::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_u, true>(call);
}
void ShiftedChebyshevV::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_v, true>(call);
}
void ShiftedChebyshevW::kernel(const OpaqueCall& call) {
  chebyshev_kernel<kind_w, true>(call);
}
void HermiteH::kernel(const OpaqueCall& call) {
  each_element<double>(call,
                       [](DType dtype, double x, double n) { return hermite(dtype, 2, x, n); });
}
void HermiteHe::kernel(const OpaqueCall& call) {
  each_element<double>(call,
                       [](DType dtype, double x, double n) { return hermite(dtype, 1, x, n); });
}
void LaguerreL::kernel(const OpaqueCall& call) {
  each_element<double>(call, &laguerre);
}
void LegendreP::kernel(const OpaqueCall& call) {
  each_element<double>(call, &legendre);
}

// ---- gradients ----

namespace {

void check_no_gradient_of_x(const Formula& f) {
  VITRO_CHECK(!f.wants(0), f.op().name, ": has no gradient of x, only of other");
}

// The derivative of P(x, other) by other: other^(x - 1) e^-other / gamma(x).
Value density(const Formula& f) {
  const DType dtype = f.gradient().dtype();
  const Value a = ops::to(f.tensor(0), dtype), x = ops::to(f.tensor(1), dtype);
  return ops::exp((a - 1) * ops::log(x) - x - Value(lgamma(a)));
}

}  // namespace

void Zeta::gradient(Formula& f) {
  check_no_gradient_of_x(f);
  const Operand& x = f.operand(0);
  const Value g = -Value(f.gradient());
  const Tensor& q = f.tensor(1);
  if (x.is_tensor()) {
    const Value s = x.tensor();
    f.set(1, g * s * Value(special_zeta(s + 1, q)));
  } else {
    const double s = x.number().as_double();
    f.set(1, g * s * Value(special_zeta(s + 1, q)));
  }
}
// As torch's, although a step of `other` moves the result where they are equal.
void Nextafter::gradient(Formula& f) {
  const Value g = f.gradient();
  f.set(0, ops::where(Value(f.tensor(0)) != f.tensor(1), g, 0));
  f.set(1, zeros_like(f.gradient()));
}
void Igamma::gradient(Formula& f) {
  check_no_gradient_of_x(f);
  f.set(1, Value(f.gradient()) * density(f));
}
void Igammac::gradient(Formula& f) {
  check_no_gradient_of_x(f);
  f.set(1, -Value(f.gradient()) * density(f));
}

}  // namespace vitro::ops

namespace vitro {

Tensor lcm(ops::At x, const Tensor& other) {
  const CalledAs name("lcm", x.where);
  const ops::Value common = gcd({x.operand.tensor(), x.where}, other);
  // as C++ does, in no less than 32 bits
  const DType dtype = common.dtype(), wide = promote(dtype, DType::i32);
  const ops::Value divisor = ops::where(common == 0, 1, ops::to(common, wide));
  const ops::Value a = ops::to(x.operand.tensor(), wide), b = ops::to(other, wide);
  return ops::to(ops::abs(ops::floor_divide(a, divisor) * b), dtype);
}

}  // namespace vitro
