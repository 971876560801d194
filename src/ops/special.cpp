// More elementwise functions, and sums of products.
#include "vitro/ops/special.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/numbers.h"
#include "ops/autocast.h"
#include "ops/by_formula.h"
#include "ops/complex_parts.h"
#include "ops/special_values.h"
#include "ops/value.h"
#include "ops/wide.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/binary.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/product.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/scatter.h"
#include "vitro/ops/special_functions.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"

namespace vitro {
namespace {

using namespace ops;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Two operands in the type of the computation, and the dtype of the result.
struct Both {
  DType dtype;
  Value a, b;

  Both(const At& x, const Tensor& other) {
    const Operand second = other;
    dtype = result_type({&x.operand, &second});
    a = to(x.operand.tensor(), compute_type(dtype));
    b = to(other, compute_type(dtype));
  }
};

// x in the type of the computation of a function to floating-point numbers.
Value wide_float(const At& x) {
  return to(x.operand.tensor(), compute_type(float_of(x.operand.tensor().dtype())));
}

}  // namespace

Value ops::wide_double(const At& x) {
  return to(x.operand.tensor(), DType::f64);
}
Tensor ops::rounded(const Tensor& y, const At& x) {
  return to(y, float_of(x.operand.tensor().dtype()));
}
Value ops::polynomial(std::span<const double> terms, const Value& x) {
  Value sum = x * terms.back() + terms[terms.size() - 2];
  for (size_t i = terms.size() - 2; i-- > 0;) sum = sum * x + terms[i];
  return sum;
}

namespace {

// The logarithm of the sum of powers of the base, e or 2. In the program the difference of the
// operands has an edge at 0, where the function has none.
template <bool base_2>
struct LogOfSum : FormulaOfTwo<LogOfSum<base_2>> {
  static constexpr std::string_view name = base_2 ? "logaddexp2" : "logaddexp";
  static Tensor program(const Tensor& x, const Tensor& other);
  static void gradient(Formula& f) {
    const Value g = widened(f.gradient()), apart = difference(f);
    f.set(0, g * ops::sigmoid(apart));
    f.set(1, g * ops::sigmoid(-apart));
  }
  static Value difference(const Formula& f) {
    const Both both(f.tensor(0), f.tensor(1));
    return base_2 ? (both.a - both.b) * M_LN2 : both.a - both.b;
  }
};
template <bool base_2>
Tensor LogOfSum<base_2>::program(const Tensor& x, const Tensor& other) {
  const Both both(x, other);
  if (is_complex(both.dtype) && !base_2)
    return joined(log_add_exp(parts_of(both.a), parts_of(both.b)));
  VITRO_CHECK(is_floating(both.dtype), name, ": takes floating-point numbers, got ", both.dtype);
  const Value high = ops::maximum(both.a, both.b), far = ops::isinf(high);
  const Value apart = -ops::abs(both.a - both.b);  // NaN for two infinities
  const Value ratio = ops::where(far, 0, apart);
  const Value less = ops::log1p(base_2 ? Value(exp2(ratio)) : ops::exp(ratio));
  return to(ops::where(far, high, high + (base_2 ? less * (1 / M_LN2) : less)), both.dtype);
}

// The larger one or the smaller one, or the other if one is NaN. Of two equal ones it is the first.
template <bool larger>
struct OtherThanNan : FormulaOfTwo<OtherThanNan<larger>> {
  static constexpr std::string_view name = larger ? "fmax" : "fmin";
  static Tensor program(const Tensor& x, const Tensor& other) {
    const Value chosen = larger ? ops::maximum(x, other) : ops::minimum(x, other);
    const Value either = ops::where(ops::isnan(other), x, chosen);
    return to(ops::where(ops::isnan(x), other, either), chosen.dtype());
  }
  static void gradient(Formula& f) {
    const Tensor &g = f.gradient(), &x = f.tensor(0), &other = f.tensor(1);
    const Value first = (larger ? x >= other : x <= other) | ops::isnan(other);
    f.set(0, ops::where(first, g, 0));
    f.set(1, ops::where(first, 0, g));
  }
};

}  // namespace

Tensor logaddexp(ops::At x, const Tensor& other) {
  const CalledAs name("logaddexp", x.where);
  return by_formula<LogOfSum<false>>(x.where, {x.operand, other});
}
Tensor logaddexp2(ops::At x, const Tensor& other) {
  const CalledAs name("logaddexp2", x.where);
  return by_formula<LogOfSum<true>>(x.where, {x.operand, other});
}

Tensor fmax(ops::At x, const Tensor& other) {
  const CalledAs name("fmax", x.where);
  return by_formula<OtherThanNan<true>>(x.where, {x.operand, other});
}
Tensor fmin(ops::At x, const Tensor& other) {
  const CalledAs name("fmin", x.where);
  return by_formula<OtherThanNan<false>>(x.where, {x.operand, other});
}

Tensor frac(ops::At x) {
  const CalledAs name("frac", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_floating("frac", t);
  return t - trunc(t);
}
Tensor deg2rad(ops::At x) {
  const CalledAs name("deg2rad", x.where);
  return rounded(wide_float(x) * (M_PI / 180), x);
}
Tensor rad2deg(ops::At x) {
  const CalledAs name("rad2deg", x.where);
  return rounded(wide_float(x) * (180 / M_PI), x);
}

Tensor signbit(ops::At x) {
  const CalledAs name("signbit", x.where);
  const Value t = x.operand.tensor();
  const Value negative = t < 0;
  return is_floating(t.dtype()) ? negative | ((t == 0) & (1 / t < 0)) : negative;
}
Tensor angle(ops::At x) {
  const CalledAs name("angle", x.where);
  if (x.operand.tensor().is_complex())
    return contiguous(ops::argument(ops::parts_of(x.operand.tensor())));
  const Value t = wide_float(x);
  return rounded(ops::where(ops::isnan(t), t, ops::to(t < 0, t.dtype()) * M_PI), x);
}

Tensor rsub(ops::At x, const Operand& other, const Scalar& alpha) {
  const CalledAs name("rsub", x.where);
  const Tensor& t = x.operand.tensor();
  if (other.is_tensor()) return sub(other.tensor(), t, alpha);
  VITRO_CHECK(other.is_number(), "rsub: other is an undefined tensor; needs a tensor or a number");
  VITRO_CHECK(!is_bool(t.dtype()), "rsub: takes numbers (not bool); use logical_not");
  return sub(other.number(), alpha.is(1) ? t : t * alpha);
}

Tensor round_decimals(ops::At x, int64_t decimals) {
  const CalledAs name("round", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_floating("round", t);
  if (decimals == 0) return round(t);
  const double power = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  const Value wide = ops::to(t, compute_type(t.dtype()));
  const Value near = round(decimals > 0 ? wide * power : wide / power);
  return ops::to(decimals > 0 ? near / power : near * power, t.dtype());
}

// The exponent by a logarithm, which may be off by one.
std::pair<Tensor, Tensor> frexp(ops::At x) {
  const CalledAs name("frexp", x.where);
  const Tensor& t = x.operand.tensor();
  ops::check_floating("frexp", t);
  const Value wide = ops::to(t, DType::f64);
  const Value plain = (wide == 0) | ops::isinf(wide) | ops::isnan(wide);
  const Value x_or_1 = ops::where(plain, 1, wide);
  const Value about = floor(log2(ops::abs(x_or_1))) + 1;
  const Value half = trunc(about * 0.5);  // 2^about may overflow
  const Value near = x_or_1 * exp2(-half) * exp2(half - about), size = ops::abs(near);
  const Value more = ops::to(size >= 1, DType::f64) - ops::to(size < 0.5, DType::f64);
  return {ops::to(ops::where(plain, wide, near * exp2(-more)), t.dtype()),
          ops::to(ops::where(plain, 0, about + more), DType::i32)};
}

namespace {

// Asymptotic series are accurate from here on; smaller numbers are shifted by as many steps.
constexpr int shift = 8;

// B[2k] / (2k (2k - 1)) for k = 1, 2, ...
constexpr double stirling[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                               -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
// B[2k] / 2k.
constexpr double psi_terms[] = {1.0 / 12,   -1.0 / 120, 1.0 / 252,
                                -1.0 / 240, 1.0 / 132,  -691.0 / 32760};

// log(gamma(x)) for x > 0, by Stirling's series of x + shift.
Value log_gamma_of_positive(const Value& x) {
  Value product = x;
  for (int i = 1; i < shift; ++i) product = product * (x + i);
  const Value far = x >= shift, y = ops::where(far, x, x + shift), inverse = 1 / y;
  const Value sum = (y - 0.5) * ops::log(y) - y + 0.9189385332046727 +
                    inverse * polynomial(stirling, inverse * inverse);
  return sum - ops::log(ops::where(far, 1, product));
}

Value digamma_of_positive(const Value& x) {
  Value less = 1 / x;
  for (int i = 1; i < shift; ++i) less = less + 1 / (x + i);
  const Value far = x >= shift, y = ops::where(far, x, x + shift), inverse = 1 / y;
  const Value square = inverse * inverse;
  const Value sum = ops::log(y) - inverse * 0.5 - square * polynomial(psi_terms, square);
  return sum - ops::where(far, 0, less);
}

struct Lgamma : FormulaOfOne<Lgamma> {
  static constexpr std::string_view name = "lgamma";
  static Tensor program(const Tensor& x);
  static void gradient(Formula& f) {
    f.set(0, ops::to(f.gradient(), DType::f64) * digamma(ops::to(f.tensor(0), DType::f64)));
  }
};
struct Digamma : FormulaOfOne<Digamma> {
  static constexpr std::string_view name = "digamma";
  static Tensor program(const Tensor& x);
  static void gradient(Formula& f) {
    f.set(0, ops::to(f.gradient(), DType::f64) * polygamma(1, ops::to(f.tensor(0), DType::f64)));
  }
};

// Below 0.5 by reflection.
Tensor Lgamma::program(const Tensor& x) {
  const Value wide = wide_double(x), low = wide < 0.5, far = ops::isinf(wide);
  const Value mirrored = ops::where(low, 1 - wide, wide);
  const Value right = log_gamma_of_positive(ops::where(far, 1, mirrored));
  const Value from_pole = wide - round(wide);
  const Value left = 1.1447298858494002 -
                     ops::log(ops::abs(ops::sin(ops::where(far, 1, from_pole) * M_PI))) - right;
  return rounded(ops::where(far, infinity, ops::where(low, left, right)), x);
}

Tensor Digamma::program(const Tensor& x) {
  const Value wide = wide_double(x), low = wide < 0.5, far = ops::isinf(wide);
  const Value mirrored = ops::where(low, 1 - wide, wide);
  const Value right = digamma_of_positive(ops::where(far, 1, mirrored));
  const Value from_pole = wide - round(wide), pole = low & (from_pole == 0);
  const Value left = right - M_PI / Value(tan(ops::where(pole, 0.5, from_pole) * M_PI));
  const Value at_pole = ops::where(wide == 0, -1 / wide, ops::where(pole, NAN, left));
  return rounded(ops::where(far, ops::where(wide > 0, infinity, full_like(wide, NAN)),
                            ops::where(low, at_pole, right)),
                 x);
}

}  // namespace

Tensor lgamma(ops::At x) {
  const CalledAs name("lgamma", x.where);
  return by_formula<Lgamma>(x.where, {x.operand});
}
Tensor digamma(ops::At x) {
  const CalledAs name("digamma", x.where);
  return by_formula<Digamma>(x.where, {x.operand});
}

namespace {

// Numerators and denominators of approximations to erfinv: of y, in powers of y^2, for |y| <= 0.7,
// and in powers of sqrt(-log((1 - |y|) / 2)) beyond.
constexpr double near_up[] = {0.886226899, -1.645349621, 0.914624893, -0.140543331};
constexpr double near_down[] = {1, -2.118377725, 1.442710462, -0.329097515, 0.012229801};
constexpr double tail_up[] = {-1.970840454, -1.624906493, 3.429567803, 1.641345311};
constexpr double tail_down[] = {1, 3.543889200, 1.637067800};

struct Erfinv : FormulaOfOne<Erfinv> {
  static constexpr std::string_view name = "erfinv";
  static Tensor program(const Tensor& x);
  static void gradient(Formula& f) {
    const Value y = erfinv(widened(f.tensor(0)));
    f.set(0, widened(f.gradient()) * ops::exp(y * y) * 0.886226925452758);
  }
};

// A rational approximation, then two steps of Newton's method.
Tensor Erfinv::program(const Tensor& x) {
  const Value y = wide_float(x), size = ops::abs(y), outside = size >= 1, center = size <= 0.7;
  const Value square = ops::where(center, y * y, 0);
  const Value near = y * polynomial(near_up, square) / polynomial(near_down, square);
  const Value root = ops::sqrt(-ops::log((1 - ops::where(outside | center, 0.9, size)) * 0.5));
  const Value tail = polynomial(tail_up, root) / polynomial(tail_down, root);
  Value z = ops::where(center, near, ops::where(y < 0, -tail, tail));
  // The difference of erf(z) and y; near 1 that of erfc(z) and 1 - y, which has more digits.
  const Value inside = ops::where(outside, 0, y), rest = 1 - ops::abs(inside);
  for (int i = 0; i < 2; ++i) {
    const Value beyond = rest - ops::erfc(ops::abs(z));
    const Value error =
        ops::where(center, Value(erf(z)) - inside, ops::where(y < 0, -beyond, beyond));
    z = z - error * ops::exp(z * z) * 0.886226925452758;
  }
  const Value at_1 = ops::where(y < 0, -infinity, full({}, infinity, y.dtype(), y.device()));
  const Value edge = ops::where(size == 1, at_1, NAN);
  return rounded(ops::where(outside, edge, ops::where(ops::isnan(y), y, z)), x);
}

}  // namespace

Tensor erfinv(ops::At x) {
  const CalledAs name("erfinv", x.where);
  return by_formula<Erfinv>(x.where, {x.operand});
}

Tensor dist(ops::At x, const Tensor& other, double p) {
  const CalledAs name("dist", x.where);
  return linalg_vector_norm(x.operand.tensor() - other, p);
}

Tensor renorm(ops::At x, double p, int64_t dim, double maxnorm) {
  const CalledAs name("renorm", x.where);
  const Tensor& t = x.operand.tensor();
  VITRO_CHECK(t.rank() >= 2, "renorm: needs rank 2 or more, got sizes ", numbers_of(t.sizes()));
  VITRO_CHECK(p > 0 && maxnorm >= 0, "renorm: needs p > 0 and maxnorm >= 0, got ", p, " and ",
              maxnorm);
  dim = ops::wrap_dim("renorm", dim, t.rank());
  DimsArg others;
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (d != dim) others.push_back(d);
  }
  const Value wide = t.is_complex() ? Value(t) : Value(ops::widened("renorm", x));
  const Value norm = linalg_vector_norm(wide, p, others, true);
  return to(wide * ops::where(norm > maxnorm, maxnorm / (norm + 1e-7), 1), t.dtype());
}

Tensor embedding_renorm(ops::At weight, const Tensor& indices, double max_norm, double norm_type) {
  const CalledAs name("embedding_renorm", weight.where);
  const Tensor& t = weight.operand.tensor();
  VITRO_CHECK(t.rank() == 2, "embedding_renorm: needs a matrix, got sizes ", numbers_of(t.sizes()));
  VITRO_CHECK(indices.dtype() == DType::i64 || indices.dtype() == DType::i32,
              "embedding_renorm: indices must be i64 or i32, got ", indices.dtype());
  const Tensor none = zeros({t.size(0)}, DType::boolean, t.device());
  const Tensor used = index_fill(none, 0, to(reshape(indices, {-1}), DType::i64), true);
  return ops::where(unsqueeze(used, 1), renorm(weight, norm_type, 0, max_norm), t);
}

Tensor linalg_vecdot(ops::At x, const Tensor& y, int64_t dim) {
  if (autocasts()) return autocasted("linalg_vecdot", &linalg_vecdot, x, y, dim);
  const CalledAs name("linalg_vecdot", x.where);
  const Tensor& t = x.operand.tensor();
  if (!t.is_complex()) ops::check_floating("linalg_vecdot", t);
  VITRO_CHECK(t.dtype() == y.dtype(), "linalg_vecdot: dtypes differ: ", t.dtype(), " and ",
              y.dtype(), "; cast one of them");
  const DType wide = compute_type(t.dtype());
  if (t.is_complex()) return ops::sum(Value(conj({t, x.where})) * y, {dim});
  return to(ops::sum(ops::to(t, wide) * ops::to(y, wide), {dim}), t.dtype());
}

namespace {

// A factor of the dtype: of integers it is rounded towards 0.
Scalar factor_of(DType dtype, const Scalar& factor) {
  const bool rounds = !is_floating(dtype) && !is_complex(dtype) && factor.is_floating();
  return rounds ? Scalar(static_cast<int64_t>(factor.as_double())) : factor;
}

// beta * x + alpha * product, rounded to the dtype of x; x is not read if beta is 0.
Tensor added(std::string_view op, const At& x, Value product, const Scalar& beta,
             const Scalar& alpha) {
  const Tensor& t = x.operand.tensor();
  const Sizes sizes = product.sizes();
  VITRO_CHECK(equal_sizes(broadcast(op, t.sizes(), sizes), sizes), op, ": sizes ",
              numbers_of(t.sizes()), " do not broadcast to ", numbers_of(sizes));
  const Scalar by = factor_of(t.dtype(), alpha), own = factor_of(t.dtype(), beta);
  for (const Scalar* factor : {&by, &own}) check_holds(op, compute_type(t.dtype()), *factor);
  if (!by.is(1)) product = product * by;
  if (!own.is(0)) {
    const Value wide = to(t, product.dtype());
    product = product + (own.is(1) ? wide : wide * own);
  }
  return to(product, t.dtype());
}

void check_same_dtypes(std::string_view op, const At& x, const Tensor& a, const Tensor& b) {
  const DType dtype = x.operand.tensor().dtype();
  VITRO_CHECK(a.dtype() == dtype && b.dtype() == dtype, op, ": dtypes differ: ", dtype, ", ",
              a.dtype(), " and ", b.dtype(), "; cast them to one");
}

}  // namespace

Tensor addmv(ops::At x, const Tensor& mat, const Tensor& vec, const Scalar& beta,
             const Scalar& alpha) {
  if (autocasts()) return autocasted("addmv", &addmv, x, mat, vec, beta, alpha);
  const CalledAs name("addmv", x.where);
  check_same_dtypes("addmv", x, mat, vec);
  const DType wide = compute_type(mat.dtype());
  return added("addmv", x, mv(ops::to(mat, wide), ops::to(vec, wide)), beta, alpha);
}

Tensor addbmm(ops::At x, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  if (autocasts()) return autocasted("addbmm", &addbmm, x, batch1, batch2, beta, alpha);
  const CalledAs name("addbmm", x.where);
  check_same_dtypes("addbmm", x, batch1, batch2);
  VITRO_CHECK(batch1.rank() == 3 && batch2.rank() == 3 && equal(batch1.size(0), batch2.size(0)) &&
                  equal(batch1.size(2), batch2.size(1)),
              "addbmm: needs batches [b, n, m] and [b, m, p], got sizes ",
              numbers_of(batch1.sizes()), " and ", numbers_of(batch2.sizes()));
  const DType wide = compute_type(batch1.dtype());
  const Tensor product = einsum("bij,bjk->ik", {ops::to(batch1, wide), ops::to(batch2, wide)});
  return added("addbmm", x, product, beta, alpha);
}

Tensor bilinear(ops::At input1, const Tensor& input2, const Tensor& weight, const Tensor& bias) {
  const CalledAs name("bilinear", input1.where);
  const Tensor& a = input1.operand.tensor();
  VITRO_CHECK(weight.rank() == 3 && a.rank() > 0 && a.rank() == input2.rank() &&
                  equal(a.size(-1), weight.size(1)) && equal(input2.size(-1), weight.size(2)),
              "bilinear: needs inputs [..., i] and [..., j] and weight [k, i, j], got sizes ",
              numbers_of(a.sizes()), ", ", numbers_of(input2.sizes()), " and ",
              numbers_of(weight.sizes()));
  const DType wide = compute_type(a.dtype());
  Value out = einsum("...i,kij,...j->...k",
                     {ops::to(a, wide), ops::to(weight, wide), ops::to(input2, wide)});
  if (bias.defined()) out = out + ops::to(bias, wide);
  return to(out, a.dtype());
}

Tensor linalg_matrix_power(ops::At x, int64_t n) {
  const CalledAs name("linalg_matrix_power", x.where);
  Value power = x.operand.tensor();
  VITRO_CHECK(power.rank() >= 2 && equal(power.size(-1), power.size(-2)),
              "linalg_matrix_power: needs square matrices, got sizes ", numbers_of(power.sizes()));
  if (n == 1) return clone(x);
  auto left = static_cast<uint64_t>(n);
  if (n < 0) {
    power = linalg_inv({power, x.where});
    left = 0 - left;
  }
  if (n == 0) {
    const Tensor one = eye(power.size(-1), {}, power.dtype(), power.device());
    return clone(expand(one, power.sizes()), ops::MemoryFormat::contiguous);
  }
  Value out;
  for (; left > 0; left /= 2) {
    if (left % 2 == 1) out = out.defined() ? Value(matmul(out, power)) : power;
    if (left > 1) power = matmul(power, power);
  }
  return out;
}

}  // namespace vitro
