// Functions that are written with decompositions, and the table of those that can be called by
// ATen's names.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bind.h"
#include "core/numbers.h"
#include "functions.h"
#include "ops/autocast.h"
#include "ops/complex_parts.h"
#include "ops/matrices.h"
#include "ops/matrix_formulas.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/compaction.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/create.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/gather.h"
#include "vitro/ops/layout.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/product.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/reduce.h"
#include "vitro/ops/unary.h"
#include "vitro/ops/view.h"
#include "vitro/ops/window.h"

namespace vitro {
namespace {

using namespace ops;

constexpr double infinity = std::numeric_limits<double>::infinity();

// 1 on the diagonal, else 0, in the dtype of `like`.
Value identity(Size rows, Size columns, const Tensor& like) {
  const Value i = arange(rows, DType::i64, like.device()),
              j = arange(columns, DType::i64, like.device());
  return to(Value(unsqueeze(i, 1)) == j, like.dtype());
}
// Matrices of the sizes of a.
Value identity_like(const Tensor& a) {
  return expand(identity(a.size(-2), a.size(-1), a), a.sizes());
}

Sizes part(const Sizes& sizes, size_t begin, size_t end) {
  return Sizes(std::span(sizes.begin(), sizes.size()).subspan(begin, end - begin));
}
// Without the last `inner` sizes.
Sizes leading(const Tensor& a, size_t inner) {
  return part(a.sizes(), 0, a.sizes().size() - std::min(inner, a.sizes().size()));
}
// x with another batch before its last `inner` dimensions.
Value with_batch(const Tensor& x, Sizes batch, int64_t inner) {
  for (int64_t d = -inner; d < 0; ++d) batch.push_back(x.size(d));
  return expand(x, batch);
}

// The absolute eigenvalues or the singular values, and the largest of them, [..., 1] (or [..., 0]).
struct Spectrum {
  Value values, largest;
  Spectrum(const Tensor& signed_values, bool hermitian) : values(signed_values) {
    largest = slice(values, -1, 0, 1);
    if (!hermitian) return;
    // ascending: the largest is at either end
    values = abs(values);
    largest = maximum(abs(largest), slice(values, -1, -1));
  }
};

// rtol, if it is not given.
Scalar default_rtol(const Tensor& a) {
  const double eps = real_of(a.dtype()) == DType::f64 ? std::numeric_limits<double>::epsilon()
                                                      : std::numeric_limits<float>::epsilon();
  return eps * Scalar(max(a.size(-2), a.size(-1))).as_double();
}

// Values up to this one count as 0.
Value limit_of(const Tensor& a, const Tensor& largest, std::optional<double> atol,
               std::optional<double> rtol) {
  const bool none = atol && *atol > 0;
  const Value relative = Value(largest) * (rtol ? Scalar(*rtol) : none ? 0 : default_rtol(a));
  return atol ? maximum(relative, *atol) : relative;
}

// The same with a tolerance for each matrix, or none.
Value limit_of(std::string_view op, const Tensor& a, const Tensor& largest, const Tensor& atol,
               const Tensor& rtol) {
  for (const Tensor* one : {&atol, &rtol})
    VITRO_CHECK(!one->defined() || !one->is_complex(), op, ": tolerances must be real, got ",
                one->dtype());
  Value relative = Value(largest) * default_rtol(a);
  if (rtol.defined())
    relative = Value(unsqueeze(rtol, -1)) * largest;
  else if (atol.defined())
    relative = ops::where(Value(unsqueeze(atol, -1)) > 0, 0, relative);
  return atol.defined() ? ops::maximum(unsqueeze(atol, -1), relative) : relative;
}

Triangular triangle_named(std::string_view op, std::string_view name) {
  VITRO_CHECK(name == "L" || name == "U" || name == "l" || name == "u", op,
              ": UPLO must be \"L\" or \"U\", got \"", name, "\"");
  return name == "L" || name == "l" ? Triangular::lower : Triangular::upper;
}

}  // namespace

// ---- Cholesky ----

std::pair<Tensor, Tensor> linalg_cholesky_ex(At x, bool upper, bool check_errors) {
  if (autocasts())
    return autocasted("linalg_cholesky_ex", &linalg_cholesky_ex, x, upper, check_errors);
  auto [l, info] = call_many<LinalgCholeskyEx, 2>(x.where, {x.operand}, {upper, check_errors});
  return {std::move(l), std::move(info)};
}
Tensor linalg_cholesky(At x, bool upper) {
  if (autocasts()) return autocasted("linalg_cholesky", &linalg_cholesky, x, upper);
  const CalledAs name("linalg_cholesky", x.where);
  return linalg_cholesky_ex(x, upper, true).first;
}
Tensor cholesky(At x, bool upper) {
  if (autocasts()) return autocasted("cholesky", &cholesky, x, upper);
  const CalledAs name("cholesky", x.where);
  return linalg_cholesky_ex(x, upper, true).first;
}
Tensor cholesky_solve(At b, const Tensor& factor, bool upper) {
  if (autocasts()) return autocasted("cholesky_solve", &cholesky_solve, b, factor, upper);
  const CalledAs name("cholesky_solve", b.where);
  const Value lower = upper ? adjoint(factor) : Value(factor);
  const Value y = linalg_solve_triangular({lower, b.where}, b.operand.tensor(), false);
  return linalg_solve_triangular(adjoint(lower), y, true);
}
Tensor cholesky_inverse(At factor, bool upper) {
  if (autocasts()) return autocasted("cholesky_inverse", &cholesky_inverse, factor, upper);
  const CalledAs name("cholesky_inverse", factor.where);
  const Tensor& l = factor.operand.tensor();
  check_square("cholesky_inverse", l.sizes());
  return cholesky_solve({identity_like(l), factor.where}, l, upper);
}

// ---- LU ----

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(At A, bool pivot, bool check_errors) {
  auto [lu, pivots, info] =
      call_many<LinalgLuFactorEx, 3>(A.where, {A.operand}, {pivot, check_errors});
  return {std::move(lu), std::move(pivots), std::move(info)};
}
std::pair<Tensor, Tensor> linalg_lu_factor(At A, bool pivot) {
  const CalledAs name("linalg_lu_factor", A.where);
  auto [lu, pivots, info] = linalg_lu_factor_ex(A, pivot, true);
  return {std::move(lu), std::move(pivots)};
}
std::tuple<Tensor, Tensor, Tensor> linalg_lu(At A, bool pivot) {
  const CalledAs name("linalg_lu", A.where);
  const auto [lu, pivots, info] = linalg_lu_factor_ex(A, pivot);
  return lu_unpack({lu, A.where}, pivots);
}
std::tuple<Tensor, Tensor, Tensor> lu_unpack(At LU, const Tensor& pivots, bool unpack_data,
                                             bool unpack_pivots) {
  auto [p, l, u] =
      call_many<LuUnpack, 3>(LU.where, {LU.operand, pivots}, {unpack_data, unpack_pivots});
  return {std::move(p), std::move(l), std::move(u)};
}
namespace {

// A decomposition of square matrices, its pivots and B, with the batches broadcast.
struct Equation {
  Value factors, pivots, right;
  Equation(std::string_view op, const Tensor& f, const Tensor& p, const Tensor& b) {
    check_square(op, f.sizes());
    check_matrices(op, b.sizes());
    VITRO_CHECK(p.rank() == f.rank() - 1, op, ": pivots of sizes ", numbers_of(p.sizes()),
                " do not belong to a decomposition of sizes ", numbers_of(f.sizes()));
    const Sizes batch = broadcast(op, leading(f, 2), leading(b, 2));
    factors = with_batch(f, batch, 2);
    pivots = with_batch(p, batch, 1);
    right = with_batch(b, batch, 2);
  }
};

}  // namespace

Tensor linalg_lu_solve(At LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
  const CalledAs name("linalg_lu_solve", LU.where);
  const Equation e("linalg_lu_solve", LU.operand.tensor(), pivots, B);
  return call<LinalgLuSolve>(LU.where, {e.factors, e.pivots, e.right}, {left, adjoint});
}
Tensor lu_solve(At b, const Tensor& LU, const Tensor& pivots) {
  if (autocasts()) return autocasted("lu_solve", &lu_solve, b, LU, pivots);
  const CalledAs name("lu_solve", b.where);
  return linalg_lu_solve({LU, b.where}, pivots, b.operand.tensor());
}

// ---- equations ----

Tensor linalg_solve_triangular(At A, const Tensor& B, bool upper, bool left, bool unitriangular) {
  const CalledAs name("linalg_solve_triangular", A.where);
  const Tensor& a = A.operand.tensor();
  check_square("linalg_solve_triangular", a.sizes());
  check_matrices("linalg_solve_triangular", B.sizes());
  const Sizes batch = broadcast("linalg_solve_triangular", leading(a, 2), leading(B, 2));
  const Value factors = with_batch(a, batch, 2), right = with_batch(B, batch, 2);
  return call<LinalgSolveTriangular>(A.where, {factors, right}, {upper, left, unitriangular});
}
namespace {

// ATen's _linalg_solve_ex: (X, LU, pivots, info).
std::tuple<Tensor, Tensor, Tensor, Tensor> solve_with_lu(At A, const Tensor& B, bool left,
                                                         bool check_errors) {
  constexpr std::string_view op = "linalg_solve_ex";
  const CalledAs name(op, A.where);
  const Tensor& a = A.operand.tensor();
  check_square(op, a.sizes());
  const bool is_vector =
      B.rank() == 1 || (B.rank() == a.rank() - 1 && equal_sizes(B.sizes(), leading(a, 1)));
  VITRO_CHECK(!is_vector || left, op, ": X A = B (left=False) needs matrices B, got sizes ",
              numbers_of(B.sizes()));
  const Value right = is_vector ? Value(unsqueeze(B, -1)) : Value(B);
  VITRO_CHECK(right.rank() >= 2 && equal(right.size(left ? -2 : -1), a.size(-1)), op,
              ": A and B do not fit in ", left ? "A X = B" : "X A = B", ": sizes ",
              numbers_of(a.sizes()), " and ", numbers_of(B.sizes()));
  VITRO_CHECK(a.dtype() == B.dtype(), op, ": dtypes of A and B differ: ", a.dtype(), " and ",
              B.dtype(), "; cast one of them");
  (void)broadcast(op, leading(a, 2), leading(right, 2));
  auto [lu, pivots, info] = linalg_lu_factor_ex(A, true, check_errors);
  Value x = linalg_lu_solve(lu, pivots, right, left);
  if (is_vector) x = squeeze(x, {-1});
  // PyTorch lays a batch of vectors out as if it were a matrix, by columns.
  if (is_vector && x.rank() > 1) x = mT(contiguous(mT(x)));
  return {std::move(x), std::move(lu), std::move(pivots), std::move(info)};
}

}  // namespace

std::pair<Tensor, Tensor> linalg_solve_ex(At A, const Tensor& B, bool left, bool check_errors) {
  auto [x, lu, pivots, info] = solve_with_lu(A, B, left, check_errors);
  return {std::move(x), std::move(info)};
}
Tensor linalg_solve(At A, const Tensor& B, bool left) {
  if (autocasts()) return autocasted("linalg_solve", &linalg_solve, A, B, left);
  const CalledAs name("linalg_solve", A.where);
  return linalg_solve_ex(A, B, left, true).first;
}
std::pair<Tensor, Tensor> linalg_inv_ex(At A, bool check_errors) {
  if (autocasts()) return autocasted("linalg_inv_ex", &linalg_inv_ex, A, check_errors);
  const CalledAs name("linalg_inv_ex", A.where);
  const Tensor& a = A.operand.tensor();
  check_square("linalg_inv_ex", a.sizes());
  const auto [lu, pivots, info] = linalg_lu_factor_ex(A, true, check_errors);
  return {linalg_lu_solve(lu, pivots, identity_like(a)), info};
}
Tensor linalg_inv(At A) {
  if (autocasts()) return autocasted("linalg_inv", &linalg_inv, A);
  const CalledAs name("linalg_inv", A.where);
  return linalg_inv_ex(A, true).first;
}
Tensor inverse(At A) {
  if (autocasts()) return autocasted("inverse", &inverse, A);
  const CalledAs name("inverse", A.where);
  return linalg_inv_ex(A, true).first;
}
Tensor linalg_tensorinv(At A, int64_t ind) {
  if (autocasts()) return autocasted("linalg_tensorinv", &linalg_tensorinv, A, ind);
  const CalledAs name("linalg_tensorinv", A.where);
  const Tensor& a = A.operand.tensor();
  VITRO_CHECK(0 < ind && ind <= a.rank(), "linalg_tensorinv: ind must be from 1 to the rank ",
              a.rank(), ", got ", ind);
  const Sizes& sizes = a.sizes();
  const Sizes rows = part(sizes, 0, static_cast<size_t>(ind)),
              columns = part(sizes, static_cast<size_t>(ind), sizes.size());
  const Size m = product(rows), n = product(columns);
  VITRO_CHECK(equal(m, n), "linalg_tensorinv: the first ", ind,
              " dimensions must have as many "
              "elements as the others, got sizes ",
              numbers_of(sizes));
  Sizes out = columns;
  for (const Size& size : rows) out.push_back(size);
  return reshape(linalg_inv({reshape(a, {m, n}), A.where}), out);
}
Tensor linalg_tensorsolve(At A, const Tensor& B, std::optional<Dims> dims) {
  if (autocasts()) return autocasted("linalg_tensorsolve", &linalg_tensorsolve, A, B, dims);
  const CalledAs name("linalg_tensorsolve", A.where);
  Value a = A.operand.tensor();
  if (dims) {
    Dims order, moved;
    for (const int64_t d : *dims) moved.push_back(wrap_dim("linalg_tensorsolve", d, a.rank()));
    for (int64_t d = 0; d < a.rank(); ++d)
      if (std::find(moved.begin(), moved.end(), d) == moved.end()) order.push_back(d);
    for (const int64_t d : moved) order.push_back(d);
    a = permute(a, order);
  }
  VITRO_CHECK(B.rank() <= a.rank(), "linalg_tensorsolve: B has more dimensions than A: sizes ",
              numbers_of(B.sizes()), " and ", numbers_of(a.sizes()));
  const Sizes out = part(a.sizes(), B.sizes().size(), a.sizes().size());
  const Size n = product(out), m = product(B.sizes());
  VITRO_CHECK(equal(m, n) && equal(product(a.sizes()), m * n),
              "linalg_tensorsolve: A is not square for B: sizes ", numbers_of(a.sizes()), " and ",
              numbers_of(B.sizes()));
  return reshape(linalg_solve({reshape(a, {n, n}), A.where}, reshape(B, {n})), out);
}

// ---- determinants ----

namespace {

// Results of ATen's functions: with the decomposition, which its gradients use.
std::tuple<Tensor, Tensor, Tensor> det_with_lu(At A) {
  check_square("linalg_det", A.operand.tensor().sizes());
  const auto [lu, pivots, info] = linalg_lu_factor_ex(A);
  const Tensor det = det_of(A.operand.tensor(), lu, pivots, [&, &lu = lu, &pivots = pivots] {
    const Value product = prod(diagonal(lu, 0, -2, -1), {-1});
    return Tensor(product * sign_of_pivots(pivots, real_of(lu.dtype())));
  });
  return {det, lu, pivots};
}
std::tuple<Tensor, Tensor, Tensor, Tensor> slogdet_with_lu(At A) {
  check_square("linalg_slogdet", A.operand.tensor().sizes());
  const auto [lu, pivots, info] = linalg_lu_factor_ex(A);
  const Value d = diagonal(lu, 0, -2, -1);
  const Value signs = prod(d.is_complex() ? joined(sign(parts_of(d))) : sign(d), {-1});
  return {signs * sign_of_pivots(pivots, real_of(lu.dtype())), sum(log(abs(d)), Dims{-1}), lu,
          pivots};
}

}  // namespace

Tensor linalg_det(At A) {
  const CalledAs name("linalg_det", A.where);
  return std::get<0>(det_with_lu(A));
}
Tensor det(At A) {
  const CalledAs name("det", A.where);
  return std::get<0>(det_with_lu(A));
}
std::pair<Tensor, Tensor> linalg_slogdet(At A) {
  const CalledAs name("linalg_slogdet", A.where);
  auto [sign, logabsdet, lu, pivots] = slogdet_with_lu(A);
  return {std::move(sign), std::move(logabsdet)};
}
std::pair<Tensor, Tensor> slogdet(At A) {
  const CalledAs name("slogdet", A.where);
  return linalg_slogdet(A);
}
Tensor logdet(At A) {
  const CalledAs name("logdet", A.where);
  const auto [sign, logabsdet] = linalg_slogdet(A);
  return Value(logabsdet) + ops::log(sign);
}

// ---- QR, singular values, eigenvalues ----

std::pair<Tensor, Tensor> linalg_qr(At A, std::string_view mode) {
  if (autocasts()) return autocasted("linalg_qr", &linalg_qr, A, mode);
  QrMode chosen = QrMode::reduced;
  VITRO_CHECK(attribute::assign(chosen, std::string(mode)),
              "linalg_qr: mode must be \"reduced\", \"complete\" or \"r\", got \"", mode, "\"");
  auto [q, r] = call_many<LinalgQr, 2>(A.where, {A.operand}, {chosen});
  return {std::move(q), std::move(r)};
}
std::pair<Tensor, Tensor> qr(At A, bool some) {
  if (autocasts()) return autocasted("qr", &qr, A, some);
  const CalledAs name("qr", A.where);
  return linalg_qr(A, some ? "reduced" : "complete");
}

namespace {

std::tuple<Tensor, Tensor, Tensor> svd_of(const At& A, bool full_matrices, bool compute_uv) {
  auto [u, s, vh] = call_many<LinalgSvd, 3>(A.where, {A.operand}, {full_matrices, compute_uv});
  return {std::move(u), std::move(s), std::move(vh)};
}
std::pair<Tensor, Tensor> eigh_of(const At& A, Triangular triangle, bool compute_v) {
  auto [w, v] = call_many<LinalgEigh, 2>(A.where, {A.operand}, {triangle, compute_v});
  return {std::move(w), std::move(v)};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_svd(At A, bool full_matrices) {
  if (autocasts()) return autocasted("linalg_svd", &linalg_svd, A, full_matrices);
  const CalledAs name("linalg_svd", A.where);
  return svd_of(A, full_matrices, true);
}
Tensor linalg_svdvals(At A) {
  if (autocasts()) return autocasted("linalg_svdvals", &linalg_svdvals, A);
  const CalledAs name("linalg_svdvals", A.where);
  return std::get<1>(svd_of(A, false, false));
}
std::tuple<Tensor, Tensor, Tensor> svd(At A, bool some, bool compute_uv) {
  if (autocasts()) return autocasted("svd", &svd, A, some, compute_uv);
  const CalledAs name("svd", A.where);
  if (compute_uv) {
    auto [u, s, vh] = svd_of(A, !some, true);
    return {std::move(u), std::move(s), adjoint(vh)};
  }
  const Tensor& a = A.operand.tensor();
  check_matrices("svd", a.sizes());
  const auto square = [&](int64_t dim) {
    Sizes sizes = leading(a, 2);
    sizes.push_back(a.size(dim));
    sizes.push_back(a.size(dim));
    return zeros(sizes, a.dtype(), a.device());
  };
  return {square(-2), std::get<1>(svd_of(A, false, false)), square(-1)};
}
std::pair<Tensor, Tensor> linalg_eigh(At A, std::string_view UPLO) {
  if (autocasts()) return autocasted("linalg_eigh", &linalg_eigh, A, UPLO);
  const CalledAs name("linalg_eigh", A.where);
  return eigh_of(A, triangle_named("linalg_eigh", UPLO), true);
}
Tensor linalg_eigvalsh(At A, std::string_view UPLO) {
  if (autocasts()) return autocasted("linalg_eigvalsh", &linalg_eigvalsh, A, UPLO);
  const CalledAs name("linalg_eigvalsh", A.where);
  return eigh_of(A, triangle_named("linalg_eigvalsh", UPLO), false).first;
}

namespace {

// The pairs of complex numbers that the op returns, as numbers.
std::pair<Tensor, Tensor> eig_of(const At& A, bool compute_v) {
  const Tensor& a = A.operand.tensor();
  const auto [w, v] = call_many<LinalgEig, 2>(A.where, {a.is_complex() ? a.pairs() : a},
                                              {a.is_complex(), compute_v});
  return {Tensor::as_complex(w), Tensor::as_complex(v)};
}

}  // namespace

std::pair<Tensor, Tensor> linalg_eig(At A) {
  if (autocasts()) return autocasted("linalg_eig", &linalg_eig, A);
  const CalledAs name("linalg_eig", A.where);
  check_square("linalg_eig", A.operand.tensor().sizes());
  return eig_of(A, true);
}
Tensor linalg_eigvals(At A) {
  if (autocasts()) return autocasted("linalg_eigvals", &linalg_eigvals, A);
  const CalledAs name("linalg_eigvals", A.where);
  check_square("linalg_eigvals", A.operand.tensor().sizes());
  return eig_of(A, false).first;
}

// ---- what follows from singular values ----

namespace {

// A = left diag(values) right^H.
struct Factors {
  Value left, values, right;
  Spectrum all;
};
Factors factors_of(std::string_view op, const At& A, bool hermitian) {
  check_matrices(op, A.operand.tensor().sizes());
  if (hermitian) {
    const auto [values, vectors] = eigh_of(A, Triangular::lower, true);
    return {vectors, values, vectors, Spectrum(values, true)};
  }
  const auto [u, values, vh] = svd_of(A, false, true);
  return {u, values, adjoint(vh), Spectrum(values, false)};
}
Tensor inverse_above(const Value& limit, const Factors& of) {
  const Value kept = of.all.values > limit;
  const Value inverses = ops::where(kept, 1.0 / Value(ops::where(kept, of.values, 1)), 0);
  return matmul(of.right * unsqueeze(inverses, -2), adjoint(of.left));
}

Spectrum spectrum_of(std::string_view op, const At& A, bool hermitian) {
  check_matrices(op, A.operand.tensor().sizes());
  return {
      hermitian ? eigh_of(A, Triangular::lower, false).first : std::get<1>(svd_of(A, false, false)),
      hermitian};
}
Tensor count_above(const Value& limit, const Spectrum& all) {
  return sum(all.values > limit, Dims{-1});
}

}  // namespace

Tensor linalg_pinv(At A, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
  const CalledAs name("linalg_pinv", A.where);
  return pinv_of(A.operand.tensor(), [&] {
    const Factors of = factors_of("linalg_pinv", A, hermitian);
    return inverse_above(limit_of(A.operand.tensor(), of.all.largest, atol, rtol), of);
  });
}
Tensor pinverse(At A, double rcond) {
  if (autocasts()) return autocasted("pinverse", &pinverse, A, rcond);
  const CalledAs name("pinverse", A.where);
  return linalg_pinv(A, 0.0, rcond);
}
Tensor linalg_matrix_rank(At A, std::optional<double> atol, std::optional<double> rtol,
                          bool hermitian) {
  if (autocasts())
    return autocasted("linalg_matrix_rank", &linalg_matrix_rank, A, atol, rtol, hermitian);
  const CalledAs name("linalg_matrix_rank", A.where);
  const Spectrum all = spectrum_of("linalg_matrix_rank", A, hermitian);
  return count_above(limit_of(A.operand.tensor(), all.largest, atol, rtol), all);
}

namespace {

// ||A|| * ||A^-1||, infinite where there is no inverse.
template <class Order>
Tensor cond_by_inverse(const At& A, const Order& p) {
  check_square("linalg_cond", A.operand.tensor().sizes());
  const auto [inverse, info] = linalg_inv_ex(A);
  const Value both = Value(linalg_matrix_norm(A, p)) * linalg_matrix_norm(inverse, p);
  return ops::where(Value(info) != 0, infinity, both);
}

}  // namespace

Tensor linalg_cond(At A, const std::optional<Scalar>& p) {
  if (autocasts())
    return autocasted(
        "linalg_cond", [](const auto&... a) { return vitro::linalg_cond(a...); }, A, p);
  const CalledAs name("linalg_cond", A.where);
  const Tensor& a = A.operand.tensor();
  check_matrices("linalg_cond", a.sizes());
  const double order = p ? p->as_double() : 2;
  if (std::abs(order) != 2) return cond_by_inverse(A, *p);
  const Value s = std::get<1>(svd_of(A, false, false));
  if (known_equal(s.size(-1), 0)) return zeros(leading(a, 2), s.dtype(), a.device());
  const Value largest = select(s, -1, 0), smallest = select(s, -1, -1);
  return order > 0 ? largest / smallest : smallest / largest;
}
Tensor linalg_cond(At A, std::string_view p) {
  if (autocasts())
    return autocasted(
        "linalg_cond", [](const auto&... a) { return vitro::linalg_cond(a...); }, A, p);
  const CalledAs name("linalg_cond", A.where);
  return cond_by_inverse(A, p);
}

// ---- reflections, LDL^T, least squares ----

namespace {

// x in matrices whose columns are contiguous, as LAPACK's results are.
Value in_columns(const Tensor& x) {
  return transposed(clone(transposed(x), MemoryFormat::contiguous));
}

// Q x, or Q^H x: Q, the product of reflections, is I - V M^-1 D V^H, with the vectors as columns of
// V, D = diag(tau) and the upper triangular M = I + D U, where U is the part of V^H V above the
// diagonal: C. Puglisi, "Modification of the Householder method based on the compact WY
// representation" (1992).
Value reflected(const Tensor& input, const Tensor& tau, const Tensor& x, bool by_adjoint) {
  const Size k = tau.size(-1);
  const Value v = identity(input.size(-2), k, input) + Value(tril(narrow(input, -1, 0, k), -1));
  const Value factors = unsqueeze(tau, -1), vh = adjoint(v);
  const Value m = factors * triu(matmul(vh, v), 1);  // its diagonal is 1, but is not read
  Value inner = matmul(vh, x);
  inner = by_adjoint
              ? Value(conj(factors)) * linalg_solve_triangular(adjoint(m), inner, false, true, true)
              : Value(linalg_solve_triangular(m, factors * inner, true, true, true));
  return Value(x) - matmul(v, inner);
}

void check_reflections(std::string_view op, const Tensor& input, const Tensor& tau) {
  check_matrices(op, input.sizes());
  VITRO_CHECK(input.dtype() == tau.dtype(), op, ": dtypes of input and tau differ: ", input.dtype(),
              " and ", tau.dtype(), "; cast one of them");
  VITRO_CHECK(equal_sizes(leading(input, 2), leading(tau, 1)) && tau.rank() > 0 &&
                  !less(input.size(-1), tau.size(-1)),
              op, ": tau of sizes ", numbers_of(tau.sizes()), " does not fit input of sizes ",
              numbers_of(input.sizes()), ": needs its batch, and at most a number for each column");
}

}  // namespace

std::pair<Tensor, Tensor> geqrf(At A) {
  if (autocasts()) return autocasted("geqrf", &geqrf, A);
  std::array<Tensor, 2> results;
  vitro::call(OpCall{&def<Geqrf>(), {&A.operand, 1}, {}, false, A.where}, results);
  return {std::move(results[0]), std::move(results[1])};
}
Tensor linalg_householder_product(At input, const Tensor& tau) {
  if (autocasts())
    return autocasted("linalg_householder_product", &linalg_householder_product, input, tau);
  const CalledAs name("linalg_householder_product", input.where);
  const Tensor& a = input.operand.tensor();
  check_reflections("linalg_householder_product", a, tau);
  VITRO_CHECK(!less(a.size(-2), a.size(-1)),
              "linalg_householder_product: needs at least as many rows as columns, got sizes ",
              numbers_of(a.sizes()));
  return in_columns(reflected(a, tau, identity_like(a), false));
}
Tensor orgqr(At input, const Tensor& tau) {
  if (autocasts()) return autocasted("orgqr", &orgqr, input, tau);
  const CalledAs name("orgqr", input.where);
  return linalg_householder_product(input, tau);
}
Tensor ormqr(At input, const Tensor& tau, const Tensor& other, bool left, bool transpose) {
  if (autocasts()) return autocasted("ormqr", &ormqr, input, tau, other, left, transpose);
  const CalledAs name("ormqr", input.where);
  const Tensor& a = input.operand.tensor();
  check_reflections("ormqr", a, tau);
  check_matrices("ormqr", other.sizes());
  VITRO_CHECK(other.dtype() == a.dtype(), "ormqr: dtypes of input and other differ: ", a.dtype(),
              " and ", other.dtype(), "; cast one of them");
  VITRO_CHECK(equal_sizes(leading(a, 2), leading(other, 2)) &&
                  equal(other.size(left ? -2 : -1), a.size(-2)),
              "ormqr: other of sizes ", numbers_of(other.sizes()), " does not fit input of sizes ",
              numbers_of(a.sizes()));
  VITRO_CHECK(equal(tau.size(-1), min(a.size(-2), a.size(-1))),
              "ormqr: needs a tau for each of the ", number_of(min(a.size(-2), a.size(-1))),
              " reflections, got sizes ", numbers_of(tau.sizes()));
  return in_columns(left ? reflected(a, tau, other, transpose)
                         : adjoint(reflected(a, tau, adjoint(other), !transpose)));
}

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(At A, bool hermitian, bool check_errors) {
  auto [ld, pivots, info] =
      call_many<LinalgLdlFactorEx, 3>(A.where, {A.operand}, {hermitian, check_errors});
  return {std::move(ld), std::move(pivots), std::move(info)};
}
std::pair<Tensor, Tensor> linalg_ldl_factor(At A, bool hermitian) {
  const CalledAs name("linalg_ldl_factor", A.where);
  auto [ld, pivots, info] = linalg_ldl_factor_ex(A, hermitian, true);
  return {std::move(ld), std::move(pivots)};
}
Tensor linalg_ldl_solve(At LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
  const CalledAs name("linalg_ldl_solve", LD.where);
  check_integers("linalg_ldl_solve", pivots.dtype());
  const Equation e("linalg_ldl_solve", LD.operand.tensor(), to(pivots, DType::i32), B);
  return call<LinalgLdlSolve>(LD.where, {e.factors, e.pivots, e.right}, {hermitian});
}

Tensor linalg_matrix_exp(At A) {
  const CalledAs name("linalg_matrix_exp", A.where);
  const Tensor& a = A.operand.tensor();
  const Tensor wide = vitro::to({a, A.where}, compute_type(a.dtype()));
  return to(call<LinalgMatrixExp>(A.where, {wide}), a.dtype());
}

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(At A, const Tensor& B,
                                                        std::optional<double> rcond,
                                                        const std::optional<std::string>& driver) {
  if (autocasts())
    return autocasted(
        "linalg_lstsq", [](const auto&... a) { return vitro::linalg_lstsq(a...); }, A, B, rcond,
        driver);
  constexpr std::string_view op = "linalg_lstsq";
  const CalledAs name(op, A.where);
  const Tensor& a = A.operand.tensor();
  check_matrices(op, a.sizes());
  const std::string how = driver.value_or("gelsy");
  const bool is_gels = how == "gels", is_gelsy = how == "gelsy";
  VITRO_CHECK(is_gels || is_gelsy || how == "gelsd" || how == "gelss", op,
              ": driver must be \"gels\", \"gelsy\", \"gelsd\" or \"gelss\", got \"", how, "\"");
  const bool is_vector =
      B.rank() == 1 || (B.rank() == a.rank() - 1 && equal_sizes(B.sizes(), leading(a, 1)));
  const Value b = is_vector ? Value(unsqueeze(B, -1)) : Value(B);
  const Size m = a.size(-2), n = a.size(-1);
  VITRO_CHECK(b.rank() >= 2 && equal(b.size(-2), m), op,
              ": A and B have other numbers of rows: ", "sizes ", numbers_of(a.sizes()), " and ",
              numbers_of(B.sizes()));
  VITRO_CHECK(a.dtype() == b.dtype(), op, ": dtypes of A and B differ: ", a.dtype(), " and ",
              b.dtype(), "; cast one of them");
  const auto [u, s, vh] = svd_of(A, false, true);
  const Value values = s;
  const std::optional<double> rtol = is_gels ? std::optional<double>() : rcond;
  const Value kept = values > limit_of(a, slice(s, -1, 0, 1), {}, rtol);
  Value x = least_squares_of(a, b, rtol, [&, &u = u, &vh = vh] {
    const Value inverses = ops::where(kept, 1.0 / Value(ops::where(kept, values, 1)), 0);
    const Value along = unsqueeze(inverses, -1) * matmul(adjoint(u), b);
    return matmul(adjoint(vh), along);
  });
  const Value rank = sum(kept, Dims{-1});
  const auto none = [&](DType dtype) { return zeros({0}, dtype, a.device()); };
  const DType real = real_of(a.dtype());
  Value residuals = none(real);
  if (less(n, m) && !is_gelsy) {
    const Value distances =
        sum(square(a.is_complex() ? abs(matmul(a, x) - b) : matmul(a, x) - b), Dims{-2});
    const Value is_full = rank == Scalar(n);
    // Of one matrix, the number of residuals depends on the data; of several, their rank.
    if (is_gels)
      residuals = distances;
    else if (a.rank() == 2)
      residuals = masked_select(distances, expand(is_full, distances.sizes()));
    else if (all(is_full).item<bool>())
      residuals = distances;
  }
  if (is_gels && known_equal(n, 0) && !known_equal(m, 0))
    residuals = zeros_like(residuals);  // as torch
  // in memory of as many rows as B has, as LAPACK returns it
  const Value columns = constant_pad_nd(transposed(x), {0, max(m, n) - n});
  x = narrow(transposed(clone(columns, MemoryFormat::contiguous)), -2, 0, n);
  return {is_vector ? squeeze(x, {-1}) : Tensor(x), residuals,
          is_gels ? none(DType::i64) : Tensor(rank), is_gels || is_gelsy ? none(real) : Tensor(s)};
}

// ---- the table ----

namespace ops {
namespace {

Tensor pinv_with_rcond(At A, double rcond, bool hermitian) {
  return linalg_pinv(A, 0.0, rcond, hermitian);
}
Tensor pinv_with_tensors(At A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
  const CalledAs name("linalg_pinv", A.where);
  return pinv_of(A.operand.tensor(), [&] {
    const Factors of = factors_of("linalg_pinv", A, hermitian);
    const Value limit = limit_of("linalg_pinv", A.operand.tensor(), of.all.largest, atol, rtol);
    return inverse_above(limit, of);
  });
}
Tensor rank_with_tensors(At A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
  constexpr std::string_view op = "linalg_matrix_rank";
  const CalledAs name(op, A.where);
  const Spectrum all = spectrum_of(op, A, hermitian);
  return count_above(limit_of(op, A.operand.tensor(), all.largest, atol, rtol), all);
}
std::tuple<Tensor, Tensor, Tensor> lu_with_info(At A, bool pivot, bool check_errors) {
  if (autocasts()) return autocasted("_lu_with_info", &linalg_lu_factor_ex, A, pivot, check_errors);
  return linalg_lu_factor_ex(A, pivot, check_errors);
}
Tensor rank_with_tol(At A, double tol, bool hermitian) {
  return linalg_matrix_rank(A, tol, 0.0, hermitian);
}
std::pair<Tensor, Tensor> triangular_solve(At b, const Tensor& A, bool upper, bool transpose,
                                           bool unitriangular) {
  if (autocasts())
    return autocasted(
        "triangular_solve", [](const auto&... a) { return vitro::triangular_solve(a...); }, b, A,
        upper, transpose, unitriangular);
  check_matrices("triangular_solve", A.sizes());
  const Value a = transpose ? transposed(A) : Value(A);
  return {linalg_solve_triangular({a, b.where}, b.operand.tensor(), upper != transpose, true,
                                  unitriangular),
          transposed(clone(transposed(A), MemoryFormat::contiguous))};
}
Tensor cond_by_number(At A, const std::optional<Scalar>& p) {
  return linalg_cond(A, p);
}
Tensor cond_by_name(At A, std::string_view p) {
  return linalg_cond(A, p);
}
constexpr NamedFunction rows[] = {
    {"linalg_cholesky", "L with A = L L^T of a positive-definite A; or U with A = U^T U.",
     "(Tensor self, *, bool upper=False) -> Tensor", bound<&linalg_cholesky>},
    {"cholesky", "L with A = L L^T of a positive-definite A; or U with A = U^T U.",
     "(Tensor self, bool upper=False) -> Tensor", bound<&cholesky>},
    {"cholesky_solve", "X with A X = B, for the factor L of A = L L^T, or U of A = U^T U.",
     "(Tensor self, Tensor input2, bool upper=False) -> Tensor", bound<&cholesky_solve>},
    {"cholesky_inverse", "The inverse of A, for the factor L of A = L L^T, or U of A = U^T U.",
     "(Tensor self, bool upper=False) -> Tensor", bound<&cholesky_inverse>},
    {"linalg_lu_factor", "L and U of A = P L U in one matrix, and the exchanged rows, from 1.",
     "(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", bound<&linalg_lu_factor>},
    {"linalg_lu", "P, L and U of A = P L U.",
     "(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", bound<&linalg_lu>},
    {"lu_solve", "X with A X = B, for the decomposition of A.",
     "(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor", bound<&lu_solve>},
    {"triangular_solve", "X with A X = B for a triangular A, or its transpose, and a copy of A.",
     "(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> "
     "(Tensor solution, Tensor cloned_coefficient)",
     bound<&triangular_solve>},
    {"linalg_solve_ex", "X with A X = B (`left`) or X A = B, and info.",
     "(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor "
     "info)",
     bound<&linalg_solve_ex>},
    {"_linalg_solve_ex", "linalg_solve_ex, with the decomposition of A.",
     "(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor "
     "LU, Tensor pivots, Tensor info)",
     bound<&solve_with_lu>},
    {"linalg_solve", "X with A X = B (`left`) or X A = B.",
     "(Tensor A, Tensor B, *, bool left=True) -> Tensor", bound<&linalg_solve>},
    {"linalg_inv_ex", "The inverse, and info.",
     "(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
     bound<&linalg_inv_ex>},
    {"linalg_inv", "The inverse.", "(Tensor A) -> Tensor", bound<&linalg_inv>},
    {"inverse", "The inverse.", "(Tensor self) -> Tensor", bound<&inverse>},
    {"linalg_tensorinv", "The inverse of a tensor as a matrix of its first `ind` dimensions.",
     "(Tensor self, int ind=2) -> Tensor", bound<&linalg_tensorinv>},
    {"linalg_tensorsolve", "X with tensordot(A, X) = B.",
     "(Tensor self, Tensor other, int[]? dims=None) -> Tensor", bound<&linalg_tensorsolve>},
    {"linalg_det", "The determinant.", "(Tensor A) -> Tensor", bound<&linalg_det>},
    {"det", "The determinant.", "(Tensor self) -> Tensor", bound<&det>},
    {"_linalg_det", "The determinant, and the decomposition of A.",
     "(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", bound<&det_with_lu>},
    {"linalg_slogdet", "The sign of the determinant and the logarithm of its absolute value.",
     "(Tensor A) -> (Tensor sign, Tensor logabsdet)", bound<&linalg_slogdet>},
    {"slogdet", "The sign of the determinant and the logarithm of its absolute value.",
     "(Tensor self) -> (Tensor sign, Tensor logabsdet)", bound<&slogdet>},
    {"_linalg_slogdet", "linalg_slogdet, with the decomposition of A.",
     "(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
     bound<&slogdet_with_lu>},
    {"logdet", "The logarithm of the determinant, NaN if that is negative.",
     "(Tensor self) -> Tensor", bound<&logdet>},
    {"qr", "Q and R of A = Q R.", "(Tensor self, bool some=True) -> (Tensor Q, Tensor R)",
     bound<&qr>},
    {"linalg_svd", "U, the singular values, descending, and V^T of A = U diag(S) V^T.",
     "(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
     bound<&linalg_svd>},
    {"linalg_svdvals", "The singular values, descending.",
     "(Tensor A, *, str? driver=None) -> Tensor", bound<&linalg_svdvals>},
    {"svd", "U, the singular values, descending, and V of A = U diag(S) V^T.",
     "(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)",
     bound<&svd>},
    {"linalg_eigh", "The eigenvalues w, ascending, and V of A = V diag(w) V^T for symmetric A.",
     "(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)",
     bound<&linalg_eigh>},
    {"linalg_eigvalsh", "The eigenvalues of a symmetric matrix, ascending.",
     "(Tensor self, str UPLO=\"L\") -> Tensor", bound<&linalg_eigvalsh>},
    {"linalg_eig", "The eigenvalues w and the eigenvectors V of A V = V diag(w), complex.",
     "(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", bound<&linalg_eig>},
    {"linalg_eigvals", "The eigenvalues, complex.", "(Tensor self) -> Tensor",
     bound<&linalg_eigvals>},
    {"linalg_pinv", "The pseudoinverse.",
     ".atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) "
     "-> Tensor",
     bound<&linalg_pinv>},
    {"linalg_pinv", "The pseudoinverse, with tolerances for each matrix.",
     ".atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool "
     "hermitian=False) -> Tensor",
     bound<&pinv_with_tensors>},
    {"linalg_pinv", "The pseudoinverse; singular values up to rcond * the largest count as 0.",
     "(Tensor self, float rcond, bool hermitian=False) -> Tensor", bound<&pinv_with_rcond>},
    {"pinverse", "The pseudoinverse; singular values up to rcond * the largest count as 0.",
     "(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor", bound<&pinverse>},
    {"linalg_matrix_rank", "The number of singular values that do not count as 0.",
     ".atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) "
     "-> Tensor",
     bound<&linalg_matrix_rank>},
    {"linalg_matrix_rank", "The number of singular values above the tolerances of each matrix.",
     ".atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool "
     "hermitian=False) -> Tensor",
     bound<&rank_with_tensors>},
    {"linalg_matrix_rank", "The number of singular values above tol.",
     "(Tensor self, float tol, bool hermitian=False) -> Tensor", bound<&rank_with_tol>},
    {"_lu_with_info", "L and U of A = P L U in one matrix, and the exchanged rows, from 1; info.",
     "(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, Tensor "
     "info)",
     bound<&lu_with_info>},
    {"linalg_ldl_factor", "L and D of A = L D L^T in one matrix, and LAPACK's pivots.",
     "(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)",
     bound<&linalg_ldl_factor>},
    {"linalg_householder_product", "The first columns of a product of reflections.",
     "(Tensor input, Tensor tau) -> Tensor", bound<&linalg_householder_product>},
    {"orgqr", "The first columns of a product of reflections.",
     "(Tensor self, Tensor input2) -> Tensor", bound<&orgqr>},
    {"ormqr", "The product of reflections, or its transpose, with a matrix.",
     "(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
     bound<&ormqr>},
    {"linalg_lstsq", "X that minimizes |A X - B|; residuals, ranks and singular values.",
     "(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> (Tensor solution, Tensor "
     "residuals, Tensor rank, Tensor singular_values)",
     bound<&linalg_lstsq>},
    {"linalg_cond", "The norm of A times that of its inverse; by singular values if p is None.",
     "(Tensor self, Scalar? p=None) -> Tensor", bound<&cond_by_number>},
    {"linalg_cond", "The norm of A times that of its inverse.",
     ".p_str(Tensor self, str p) -> Tensor", bound<&cond_by_name>},
};

}  // namespace

std::span<const NamedFunction> decomposition_functions() {
  return rows;
}

}  // namespace ops
}  // namespace vitro
