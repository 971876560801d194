// Gradients of functions of matrices by closed formulas: of the inverse, the pseudo-inverse, the
// determinant and what follows from them.
#include "ops/matrix_formulas.h"

#include <cmath>
#include <limits>

#include "ops/by_formula.h"
#include "ops/matrices.h"
#include "ops/value.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/product.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/view.h"

namespace vitro::ops {
namespace {

struct GivenAttrs {
  bool of_pairs = false;  // operands are pairs of complex numbers
  std::optional<double> rtol;
  static constexpr void each(auto&& f) {
    f("of_pairs", &GivenAttrs::of_pairs);
    f("rtol", &GivenAttrs::rtol);
  }
};
// Operand 0 is the result, the others are what it was computed from.
struct Given : ByFormula {
  static constexpr std::string_view signatures = "(Tensor result, *) -> Tensor";
  static constexpr int min_arity = 2, max_arity = 4;
  using Attrs = GivenAttrs;
  static void shape(ShapeCall& call) { call.results.push_back(*call.operands[0].meta); }
  static void expand(std::span<const Operand> operands, AttrsView, std::span<Tensor> results) {
    results[0] = detach(operands[0].tensor());
  }
  static Tensor numbers(const Formula& f, const Tensor& x) {
    return f.attrs<Attrs>().of_pairs && is_floating(x.dtype()) ? Tensor::as_complex(contiguous(x))
                                                               : x;
  }
  static Tensor operand(const Formula& f, size_t i) { return numbers(f, f.tensor(i)); }
  static Tensor result(const Formula& f) { return numbers(f, f.result()); }
  static Tensor gradient_of(const Formula& f) { return numbers(f, f.gradient()); }
  static void set(Formula& f, size_t i, const Tensor& gradient) {
    f.set(i, gradient.is_complex() ? gradient.pairs() : gradient);
  }
};

Tensor below_tape(FunctionRef<Tensor()> compute) {
  const BelowTape below;
  return compute();
}
template <class F>
Tensor given(std::span<const Tensor> tensors, std::optional<double> rtol = {}) {
  const bool of_pairs = tensors[0].is_complex();
  const GivenAttrs attrs{of_pairs, rtol};
  std::vector<Tensor> parts;
  for (const Tensor& t : tensors) parts.push_back(t.is_complex() ? t.pairs() : t);
  const std::vector<Operand> operands(parts.begin(), parts.end());
  const Tensor made = call_one(def<F>(), operands, attrs_view<F>(attrs), {});
  return of_pairs ? Tensor::as_complex(made) : made;
}

// ---- the pseudo-inverse ----

// Of a matrix a with the pseudo-inverse p, from the gradient g of p: G. Golub and V. Pereyra, "The
// differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate"
// (1973).
Value pinv_gradient(const Tensor& g, const Tensor& p, const Tensor& a) {
  const Value ph = adjoint(p), gh = adjoint(g);
  if (less(a.size(-1), a.size(-2))) {
    const Value k = matmul(p, gh), inner = matmul(ph, k);
    const Value rest = gh - Value(matmul(a, k));
    return -adjoint(matmul(k, p)) + Value(matmul(matmul(rest, p), ph)) + inner -
           Value(matmul(matmul(inner, p), a));
  }
  const Value k = matmul(gh, p), inner = matmul(k, ph);
  const Value rest = gh - Value(matmul(k, a));
  return -adjoint(matmul(p, k)) + inner - Value(matmul(matmul(a, p), inner)) +
         Value(matmul(ph, matmul(p, rest)));
}

struct Pinv : Given {
  static constexpr std::string_view name = "linalg_pinv";
  static void gradient(Formula& f) {
    set(f, 1, pinv_gradient(gradient_of(f), result(f), operand(f, 1)));
  }
};

struct LeastSquares : Given {
  static constexpr std::string_view name = "linalg_lstsq";
  static void gradient(Formula& f) {
    const Tensor g = gradient_of(f), a = operand(f, 1), b = operand(f, 2);
    const Tensor p = linalg_pinv(a, {}, f.attrs<Attrs>().rtol);
    if (f.wants(1)) set(f, 1, pinv_gradient(matmul(g, adjoint(b)), p, a));
    if (f.wants(2)) set(f, 2, matmul(adjoint(p), g));
  }
};

// ---- determinants ----

// The absolute values of the pivots, and the largest of each matrix.
struct Pivots {
  Value sizes, largest;
  explicit Pivots(const Tensor& lu)
      : sizes(abs(diagonal(lu, 0, -2, -1))), largest(amax(sizes, {-1}, true)) {}
};
// The decomposition, with this part of the largest pivot instead of those that are 0.
Value without_zeros(const Tensor& lu, double part) {
  const Pivots pivots(lu);
  const Value instead = ops::where(pivots.largest == 0, part, pivots.largest * part);
  return Value(lu) + to(diag_embed(ops::where(pivots.sizes == 0, instead, 0)), lu.dtype());
}
Value product_of_pivots(const Tensor& lu, const Tensor& pivots) {
  return Value(prod(diagonal(lu, 0, -2, -1), {-1})) * sign_of_pivots(pivots, real_of(lu.dtype()));
}

// adj(A)^H of a singular A = U S V^H as a function of A, of which the first derivative is right:
// that of M = U^H A V, which is S here, is diagonal to the first order but for -M[i, j] times the
// values other than i and j.
Value adjoint_of_singular(const Tensor& a) {
  Value u, vh, s, phase, others, pairs, same;
  {
    const BelowTape below;
    const auto [left, values, right] = linalg_svd(a, false);
    u = left, vh = right, s = values;
    phase = unsqueeze(unsqueeze(conj(Value(linalg_det(u)) * Value(linalg_det(vh))), -1), -1);
    const Value none = s == 0, factors = ops::where(none, 1, s), zero = to(none, DType::i64);
    const Value zeros = sum(zero, {-1}, true), product = prod(factors, {-1}, true);
    others = ops::where(zeros == zero, product / factors, 0);
    const Value rest = Value(unsqueeze(zeros - zero, -1)) - unsqueeze(zero, -2);
    const Value of_two = Value(unsqueeze(factors, -1)) * unsqueeze(factors, -2);
    pairs = to(ops::where(rest == 0, Value(unsqueeze(product, -1)) / of_two, 0), a.dtype());
    const Value places = arange(a.size(-1), DType::i64, a.device());
    same = Value(unsqueeze(places, -1)) == unsqueeze(places, -2);
  }
  const Value m = matmul(matmul(adjoint(u), a), adjoint(vh));
  const Value change = Value(diagonal(m, 0, -2, -1)) - to(s, a.dtype());
  const Value of_diagonal =
      squeeze(matmul(ops::where(same, 0, pairs), unsqueeze(change, -1)), Dims{-1});
  const Value along = diag_embed(to(others, a.dtype()) + of_diagonal);
  return phase * matmul(matmul(u, adjoint(along - ops::where(same, 0, m) * pairs)), vh);
}

// The gradient is g times the conjugate of the cofactors, which are det(A) A^-H. They are smooth,
// so that of a singular A they are, to the last digits, those of an A with tiny pivots.
struct Det : Given {
  static constexpr std::string_view name = "linalg_det";
  static void gradient(Formula& f) {
    const Tensor a = operand(f, 1), lu = operand(f, 2), &pivots = f.tensor(3);
    if (known_equal(a.size(-1), 0)) return set(f, 1, zeros_like(a));
    const double eps = real_of(a.dtype()) == DType::f64 ? std::numeric_limits<double>::epsilon()
                                                        : std::numeric_limits<float>::epsilon();
    const Value factor = unsqueeze(unsqueeze(gradient_of(f), -1), -1);
    const Value exact = cofactors(lu, pivots, eps);
    const bool is_last = !thread_state.modes.grad_enabled;
    set(f, 1, factor * (is_last ? exact : differentiable(a, lu, exact, eps)));
  }
  static Value cofactors(const Tensor& lu, const Tensor& pivots, double part) {
    const BelowTape below;
    const Value near = without_zeros(lu, part);
    const Value det = unsqueeze(product_of_pivots(near, pivots), -1);
    const Value scaled = diag_embed(vitro::expand(conj(det), diagonal(near, 0, -2, -1).sizes()));
    return linalg_lu_solve(near, pivots, scaled, true, true);
  }
  // The same elements as functions of a.
  static Value differentiable(const Tensor& a, const Tensor& lu, const Value& exact, double eps) {
    Value singular, regular;
    {
      const BelowTape below;
      const Pivots pivots(lu);
      const double part = eps * Scalar(a.size(-1)).as_double();
      const Value small = ops::where(pivots.sizes <= pivots.largest * part, 1, pivots.sizes * 0);
      singular = unsqueeze(amax(small, {-1}, true) > 0, -1);
      const Value places = arange(a.size(-1), DType::i64, a.device());
      regular = to(Value(unsqueeze(places, -1)) == unsqueeze(places, -2), a.dtype());
    }
    const Value near = ops::where(singular, regular, a);
    const Value det = unsqueeze(unsqueeze(linalg_det(near), -1), -1);
    const Value by_inverse = Value(conj(det)) * adjoint(linalg_inv_ex(near).first);
    const Value made = ops::where(singular, adjoint_of_singular(a), by_inverse);
    return made + detach(exact - Value(detach(made)));
  }
};

}  // namespace

Tensor sign_of_pivots(const Tensor& pivots, DType dtype) {
  const Value rows = arange(1, pivots.size(-1) + 1, 1, DType::i32, pivots.device());
  return prod(1 - to(Value(pivots) != rows, dtype) * 2, {-1});
}

Tensor pinv_of(const Tensor& a, FunctionRef<Tensor()> compute) {
  if (!is_recorded(a)) return compute();
  return given<Pinv>(std::array{below_tape(compute), a});
}
Tensor least_squares_of(const Tensor& a, const Tensor& b, std::optional<double> rtol,
                        FunctionRef<Tensor()> compute) {
  if (!is_recorded(a) && !is_recorded(b)) return compute();
  return given<LeastSquares>(std::array{below_tape(compute), a, b}, rtol);
}
Tensor det_of(const Tensor& a, const Tensor& lu, const Tensor& pivots,
              FunctionRef<Tensor()> compute) {
  if (!is_recorded(a)) return compute();
  return given<Det>(std::array{below_tape(compute), a, lu, pivots});
}

}  // namespace vitro::ops
