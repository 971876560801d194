// Gradients of decompositions. Sources of the formulas: M. Giles, "Collected matrix derivative
// results for forward and reverse mode algorithmic differentiation" (2008), for the Cholesky, QR,
// singular value and eigenvalue decompositions; the others follow from the equations that the
// results solve.
#include <array>
#include <tuple>
#include <vector>

#include "ops/gradient.h"
#include "ops/matrices.h"
#include "vitro/base/error.h"
#include "vitro/core/formula.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/product.h"
#include "vitro/ops/window.h"

namespace vitro::ops {
namespace {

Value row(const Tensor& x) {
  return unsqueeze(x, -2);
}
Value column(const Tensor& x) {
  return unsqueeze(x, -1);
}
// The lower triangle, with half of the diagonal.
Value half_lower(const Tensor& x) {
  return (Value(tril(x)) + Value(tril(x, -1))) * 0.5;
}
// L^-H x L^-1 for a lower triangular L.
Value between_inverses(const Tensor& l, const Tensor& x) {
  const Value left = linalg_solve_triangular(adjoint(l), x, true);
  return linalg_solve_triangular(l, left, false, false);
}
// 1 / (w[j] - w[i]), 0 on the diagonal.
Value inverse_differences(const Tensor& w) {
  const Value difference = Value(row(w)) - column(w);
  const Value places = arange(w.size(-1), DType::i64, w.device());
  const Value same = Value(row(places)) == column(places);
  return ops::where(same, 0, 1.0 / Value(ops::where(same, 1, difference)));
}

}  // namespace

void LinalgCholeskyEx::gradient(Formula& f) {
  const Tensor& g = f.gradient(0);
  if (!g.defined()) return;
  const bool upper = f.attrs<Attrs>().upper;
  const Value l = upper ? adjoint(f.result(0)) : Value(f.result(0));
  const Value gl = upper ? adjoint(g) : Value(g);
  const Value inner = matmul(adjoint(l), gl);
  f.set(0, between_inverses(l, (Value(tril(inner)) + adjoint(tril(inner, -1))) * 0.5));
}

// A = P L U is that of a square part, and of the rest R of the columns or rows:
//   more columns: A = P L [U V], so V = L^-1 P^T R;   more rows: A = P [L; M] U, so M = R U^-1.
void LinalgLuFactorEx::gradient(Formula& f) {
  const Tensor& g = f.gradient(0);
  if (!g.defined()) return;
  const Size m = g.size(-2), n = g.size(-1), k = min(m, n);
  const auto [p, l_all, u_all] = lu_unpack(f.result(0), f.result(1));
  const Tensor l = narrow(l_all, -2, 0, k), u = narrow(u_all, -1, 0, k);
  const Tensor g_square = narrow(narrow(g, -2, 0, k), -1, 0, k);
  Value lower = matmul(adjoint(l), tril(g_square, -1)), upper = matmul(triu(g_square), adjoint(u));
  Value of_rest;
  if (m < n) {
    const Tensor v = narrow(u_all, -1, k, n - k), gv = narrow(g, -1, k, n - k);
    lower = lower - matmul(gv, adjoint(v));
    of_rest = linalg_solve_triangular(adjoint(l), gv, true, true, true);
  } else if (n < m) {
    const Tensor rest = narrow(l_all, -2, k, m - k), g_rest = narrow(g, -2, k, m - k);
    upper = upper - matmul(adjoint(rest), g_rest);
    of_rest = linalg_solve_triangular(adjoint(u), g_rest, false, false);
  }
  const Value inner = Value(tril(lower, -1)) + Value(triu(upper));
  // L^-H inner U^-H
  const Value left = linalg_solve_triangular(adjoint(l), inner, true, true, true);
  Value all = linalg_solve_triangular(adjoint(u), left, false, false);
  if (of_rest.defined()) all = vitro::cat({all, of_rest}, m < n ? -1 : -2);
  f.set(0, matmul(p, all));
}

void LuUnpack::gradient(Formula& f) {
  const Tensor &gl = f.gradient(1), &gu = f.gradient(2);
  const Size m = f.tensor(0).size(-2), n = f.tensor(0).size(-1), k = min(m, n);
  Value sum;
  if (gl.defined()) sum = tril(constant_pad_nd(gl, {0, n - k}), -1);
  if (gu.defined()) {
    const Value upper = triu(constant_pad_nd(gu, {0, 0, 0, m - k}));
    sum = sum.defined() ? sum + upper : upper;
  }
  if (sum.defined()) f.set(0, sum);
}

void LinalgLuSolve::gradient(Formula& f) {
  const auto& attrs = f.attrs<Attrs>();
  const Tensor &lu = f.tensor(0), &pivots = f.tensor(1), &x = f.result();
  const Value gb = linalg_lu_solve(lu, pivots, f.gradient(), attrs.left, !attrs.adjoint);
  f.set(2, gb);
  if (!f.wants(0)) return;
  // of A, or of A^H if adjoint
  const Value ga = -Value(attrs.left ? matmul(gb, adjoint(x)) : matmul(adjoint(x), gb));
  const auto [p, l, u] = lu_unpack(lu, pivots);
  const Value inner = matmul(adjoint(p), attrs.adjoint ? adjoint(ga) : ga);
  f.set(0, Value(tril(matmul(inner, adjoint(u)), -1)) + Value(triu(matmul(adjoint(l), inner))));
}

void LinalgSolveTriangular::gradient(Formula& f) {
  const auto& attrs = f.attrs<Attrs>();
  const Tensor &a = f.tensor(0), &x = f.result();
  const Value gb = linalg_solve_triangular(adjoint(a), f.gradient(), !attrs.upper, attrs.left,
                                           attrs.unitriangular);
  f.set(1, gb);
  if (!f.wants(0)) return;
  const Value ga = -Value(attrs.left ? matmul(gb, adjoint(x)) : matmul(adjoint(x), gb));
  const int64_t diagonal = attrs.unitriangular ? 1 : 0;
  f.set(0, attrs.upper ? triu(ga, diagonal) : tril(ga, -diagonal));
}

namespace {

// Of a matrix with at least as many rows as columns, from those of Q (may be undefined) and R.
Value qr_gradient(const Tensor& q, const Tensor& r, const Tensor& gq, const Tensor& gr) {
  Value m;
  if (gr.defined()) m = matmul(r, adjoint(gr));
  if (gq.defined()) {
    const Value of_q = matmul(adjoint(gq), q);
    m = m.defined() ? m - of_q : -of_q;
  }
  const Value half = half_lower(m), symmetric = half + adjoint(half);
  Value left = matmul(q, symmetric);
  if (gq.defined()) left = left + gq;
  // left R^-H
  return linalg_solve_triangular(adjoint(r), left, false, false);
}

}  // namespace

void LinalgQr::gradient(Formula& f) {
  const Tensor &gq = f.gradient(0), &gr = f.gradient(1), &q = f.result(0), &r = f.result(1);
  const Size m = f.tensor(0).size(-2), n = f.tensor(0).size(-1);
  const QrMode mode = f.attrs<Attrs>().mode;
  VITRO_CHECK(mode != QrMode::r, name, ": mode=\"r\" has no gradient, which needs Q");
  VITRO_CHECK(mode == QrMode::reduced || m <= n, name,
              ": mode=\"complete\" has no gradient for more rows than columns");
  if (m >= n) {
    f.set(0, qr_gradient(q, r, gq, gr));
    return;
  }
  // A = Q [U V]: the gradient of V is also one of Q, through V = Q^H Y.
  const Tensor y = narrow(f.tensor(0), -1, m, n - m), u = narrow(r, -1, 0, m);
  if (!gr.defined()) {
    f.set(0, constant_pad_nd(qr_gradient(q, u, gq, {}), {0, n - m}));
    return;
  }
  const Value gv = narrow(gr, -1, m, n - m);
  Value gq_all = matmul(y, adjoint(gv));
  if (gq.defined()) gq_all = gq_all + gq;
  const Tensor gx = qr_gradient(q, u, gq_all, narrow(gr, -1, 0, m));
  f.set(0, vitro::cat({gx, matmul(q, gv)}, -1));
}

namespace {

// Of the dtype of the vectors.
Value diagonal_matrix(const Tensor& x, const Tensor& vectors) {
  return to(diag_embed(x), vectors.dtype());
}

// U [(skew(U^H gU) / E) S + S (skew(V^H gV) / E) + gS] V^H, and what gU and gV have outside of the
// spaces of U and V; E[i, j] = s[j]^2 - s[i]^2. Complex vectors may be turned, U together with V:
// if both have gradients, these are expected not to depend on that, and the diagonal of skew(U^H
// gU) / 2, which is then less that of skew(V^H gV), counts once.
Value svd_gradient(const Tensor& u, const Tensor& s, const Tensor& vh, const Tensor& gu,
                   const Tensor& gs, const Tensor& gvh) {
  const Value v = adjoint(vh), squares = Value(s) * s;
  Value inner, outside;
  const auto add = [](Value& to, const Value& x) { to = to.defined() ? to + x : x; };
  if (gs.defined()) add(inner, diagonal_matrix(gs, u));
  if (gu.defined()) {
    const Value along = matmul(adjoint(u), gu), skew = along - adjoint(along);
    add(inner, skew * inverse_differences(squares) * row(s));
    if (u.is_complex() && gvh.defined())
      add(inner, diag_embed(Value(diagonal(skew, 0, -2, -1)) / (Value(s) * 2)));
    const Value rest = Value(gu) - Value(matmul(u, along));
    add(outside, matmul(rest / row(s), vh));
  }
  if (gvh.defined()) {
    const Value gv = adjoint(gvh), along = matmul(vh, gv);
    add(inner, (along - adjoint(along)) * inverse_differences(squares) * column(s));
    const Value rest = gv - Value(matmul(v, along));
    add(outside, matmul(u, adjoint(rest / row(s))));
  }
  const Value of_inner = matmul(matmul(u, inner), vh);
  return outside.defined() ? of_inner + outside : of_inner;
}

}  // namespace

void LinalgSvd::gradient(Formula& f) {
  const auto& attrs = f.attrs<Attrs>();
  const Tensor& gs = f.gradient(1);
  if (!attrs.compute_uv) {
    if (!gs.defined()) return;
    const auto [u, s, vh] = linalg_svd(f.tensor(0), false);
    f.set(0, svd_gradient(u, s, vh, {}, gs, {}));
    return;
  }
  const Tensor &gu = f.gradient(0), &gvh = f.gradient(2), &u = f.result(0), &s = f.result(1),
               &vh = f.result(2);
  if (!attrs.full_matrices || equal(u.size(-1), vh.size(-2))) {
    f.set(0, svd_gradient(u, s, vh, gu, gs, gvh));
    return;
  }
  // The rest of U and V^T is any basis of what is left: as in torch, its gradient is not used.
  const auto some = [k = s.size(-1)](const Tensor& t, int64_t dim) {
    return t.defined() ? narrow(t, dim, 0, k) : t;
  };
  f.set(0, svd_gradient(some(u, -1), s, some(vh, -2), some(gu, -1), gs, some(gvh, -2)));
}

// V^-H [gw + (V^H gV - V^H V Re(diag(V^H gV))) / conj(E)] V^H with E[i, j] = w[j] - w[i], of a
// complex matrix; of a real one its real part.
void LinalgEig::gradient(Formula& f) {
  const auto& attrs = f.attrs<Attrs>();
  const auto numbers = [](const Tensor& pairs) {
    return pairs.defined() ? Tensor::as_complex(contiguous(pairs)) : Tensor();
  };
  const Tensor gw = numbers(f.gradient(0)), gv = numbers(f.gradient(1));
  Tensor w = Tensor::as_complex(f.result(0)), v;
  if (attrs.compute_v) {
    v = Tensor::as_complex(f.result(1));
  } else {
    const Tensor& a = f.tensor(0);
    std::tie(w, v) = linalg_eig(attrs.of_pairs ? Tensor::as_complex(a) : a);
  }
  const Value vh = adjoint(v);
  Value inner;
  if (attrs.compute_v && gv.defined()) {
    const Value along = matmul(vh, gv), length = real(diagonal(along, 0, -2, -1));
    inner = (along - Value(matmul(vh, v)) * row(length)) * conj(inverse_differences(w));
  }
  if (gw.defined()) inner = inner.defined() ? inner + diag_embed(gw) : Value(diag_embed(gw));
  if (!inner.defined()) return;
  const Tensor g = linalg_solve(vh, matmul(inner, vh));
  f.set(0, attrs.of_pairs ? g.pairs() : contiguous(real(g)));
}

void gradient_of_pairs(Formula& f, void (*gradient)(Formula&)) {
  // Matrices have as many dimensions as operand 0; pivots and real values have fewer.
  const int64_t rank = f.tensor(0).rank();
  const auto numbers = [&](const Tensor& x) {
    return x.defined() && x.rank() == rank ? Tensor::as_complex(contiguous(x)) : x;
  };
  std::vector<Tensor> tensors, results, gradients, out(f.operand_count());
  std::array<bool, 3> wanted{};
  for (size_t i = 0; i < f.operand_count(); ++i) {
    tensors.push_back(numbers(f.tensor(i)));
    wanted[i] = f.wants(i);
  }
  const std::vector<Operand> operands(tensors.begin(), tensors.end());
  for (size_t k = 0; k < f.result_count(); ++k) {
    results.push_back(numbers(f.result(k)));
    gradients.push_back(numbers(f.gradient(k)));
  }
  const OpCall call{&f.op(), operands, f.attrs(), false, {}};
  Formula of_complex(call, results, gradients, std::span(wanted).first(out.size()), out);
  gradient(of_complex);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].defined()) f.set(i, out[i].is_complex() ? out[i].pairs() : out[i]);
  }
}

void LinalgEigh::gradient(Formula& f) {
  const auto& attrs = f.attrs<Attrs>();
  const Tensor &gw = f.gradient(0), &gv = f.gradient(1);
  Tensor w = f.result(0), v = f.result(1);
  if (!attrs.compute_v) {
    if (!gw.defined()) return;
    std::tie(w, v) = linalg_eigh(f.tensor(0), attrs.UPLO == Triangular::upper ? "U" : "L");
  }
  Value inner;
  if (gw.defined()) inner = diagonal_matrix(gw, v);
  if (attrs.compute_v && gv.defined()) {
    const Value of_v = Value(matmul(adjoint(v), gv)) * inverse_differences(w);
    inner = inner.defined() ? inner + of_v : of_v;
  }
  if (inner.defined()) f.set(0, matmul(matmul(v, inner), adjoint(v)));
}

// The upper right part of the exponential of [A^T g; 0 A^T]: R. Mathias, "A chain rule for matrix
// functions and applications" (1996).
void LinalgMatrixExp::gradient(Formula& f) {
  const Value a = transposed(f.tensor(0)), g = f.gradient();
  const Size n = a.size(-1);
  const Tensor upper = vitro::cat({a, g}, -1), lower = constant_pad_nd(a, {n, 0});
  const Value both = linalg_matrix_exp(vitro::cat({upper, lower}, -2));
  f.set(0, narrow(narrow(both, -2, 0, n), -1, n, n));
}

}  // namespace vitro::ops
