// Decompositions of matrices, and what follows from them: solutions, inverses, determinants.
//   auto [q, r] = linalg_qr(a);    Tensor x = linalg_solve(a, b);    Tensor d = linalg_det(a);
// Operands are matrices [..., m, n] of f32, f64, c64 or c128; the leading dimensions are a batch.
// The kernels call LAPACK, which is loaded on the first use (liblapack.so.3 or libopenblas.so.0):
// if there is none, the call is an Error that says so. What they return (signs of vectors, order of
// equal values) is LAPACK's choice. Results are laid out as torch does: most have column-major
// matrices. A matrix for which there is no result (singular, not positive-definite, without
// convergence) is an Error of the functions without `_ex`; those with it return `info` [...] (i32)
// in its place: 0, or the number of the pivot or leading minor, counted from 1, at which the matrix
// failed; the other results of that matrix are then meaningless. Gradients are those of torch:
// defined where the decomposition is differentiable, with singular values and eigenvalues all
// different.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "vitro/ops/define.h"

namespace vitro {

// The batches of LU and B broadcast.
Tensor linalg_lu_solve(ops::At LU, const Tensor& pivots, const Tensor& B, bool left = true,
                       bool adjoint = false);
// The batches of A and B broadcast.
Tensor linalg_solve_triangular(ops::At A, const Tensor& B, bool upper, bool left = true,
                               bool unitriangular = false);
// The batches of LD and B broadcast.
Tensor linalg_ldl_solve(ops::At LD, const Tensor& pivots, const Tensor& B, bool hermitian = false);
// Halves are computed in f32.
Tensor linalg_matrix_exp(ops::At A);

namespace ops {

struct Decomposition {
  static constexpr OpKind kind = OpKind::opaque;
};

struct CholeskyAttrs {
  bool upper = false, check_errors = false;
  static constexpr void each(auto&& f) {
    f("upper", &CholeskyAttrs::upper);
    f("check_errors", &CholeskyAttrs::check_errors);
  }
};
struct LinalgCholeskyEx : Decomposition {
  static constexpr std::string_view
      name = "linalg_cholesky_ex",
      doc =
          "L with A = L L^T, or with `upper` U with A = U^T U, of a positive-definite matrix, of "
          "which one triangle is read; info.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)";
  static constexpr int arity = 1;
  using Attrs = CholeskyAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct LuAttrs {
  bool pivot = true, check_errors = false;
  static constexpr void each(auto&& f) {
    f("pivot", &LuAttrs::pivot);
    f("check_errors", &LuAttrs::check_errors);
  }
};
struct LinalgLuFactorEx : Decomposition {
  static constexpr std::string_view
      name = "linalg_lu_factor_ex",
      doc =
          "L (below the diagonal, which is 1) and U of A = P L U in one matrix; the rows that were "
          "exchanged, from 1 (i32); info.";
  static constexpr std::string_view signatures =
      "(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, "
      "Tensor info)";
  static constexpr int arity = 1;
  using Attrs = LuAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct LuUnpackAttrs {
  bool unpack_data = true, unpack_pivots = true;
  static constexpr void each(auto&& f) {
    f("unpack_data", &LuUnpackAttrs::unpack_data);
    f("unpack_pivots", &LuUnpackAttrs::unpack_pivots);
  }
};
struct LuUnpack : Decomposition {
  static constexpr std::string_view name = "lu_unpack",
                                    doc = "P, L and U of the result of linalg_lu_factor_ex.";
  static constexpr std::string_view signatures =
      "(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> "
      "(Tensor P, Tensor L, Tensor U)";
  static constexpr int arity = 2;
  using Attrs = LuUnpackAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct LuSolveAttrs {
  bool left = true, adjoint = false;
  static constexpr void each(auto&& f) {
    f("left", &LuSolveAttrs::left);
    f("adjoint", &LuSolveAttrs::adjoint);
  }
};
struct LinalgLuSolve : Decomposition {
  static constexpr std::string_view
      name = "linalg_lu_solve",
      doc = "X with A X = B (`left`) or X A = B, with A^T for A if `adjoint`, for A = P L U.";
  static constexpr std::string_view signatures =
      "(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor";
  static constexpr int arity = 3;
  static constexpr auto function = &vitro::linalg_lu_solve;
  using Attrs = LuSolveAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct TriangularAttrs {
  bool upper = false, left = true, unitriangular = false;
  static constexpr void each(auto&& f) {
    f("upper", &TriangularAttrs::upper);
    f("left", &TriangularAttrs::left);
    f("unitriangular", &TriangularAttrs::unitriangular);
  }
};
struct LinalgSolveTriangular : Decomposition {
  static constexpr std::string_view name = "linalg_solve_triangular",
                                    doc =
                                        "X with A X = B (`left`) or X A = B for a triangular A, "
                                        "whose other triangle is not read, "
                                        "nor with `unitriangular` its diagonal, which is 1.";
  static constexpr std::string_view signatures =
      "(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor";
  static constexpr int arity = 2;
  static constexpr auto function = &vitro::linalg_solve_triangular;
  using Attrs = TriangularAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

// Q [..., m, k] with k = min(m, n) and R [..., k, n], or [..., m, m] and [..., m, n], or only R.
enum class QrMode : uint8_t { reduced, complete, r };
constexpr auto names_of_values(QrMode) {
  return std::array<std::string_view, 3>{"reduced", "complete", "r"};
}
struct QrAttrs {
  QrMode mode = QrMode::reduced;
  static constexpr void each(auto&& f) { f("mode", &QrAttrs::mode); }
};
struct LinalgQr : Decomposition {
  static constexpr std::string_view
      name = "linalg_qr",
      doc = "Q, with orthonormal columns, and the upper triangular R of A = Q R.";
  static constexpr std::string_view signatures =
      "(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)";
  static constexpr int arity = 1;
  using Attrs = QrAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct SvdAttrs {
  bool full_matrices = false, compute_uv = true;
  static constexpr void each(auto&& f) {
    f("full_matrices", &SvdAttrs::full_matrices);
    f("compute_uv", &SvdAttrs::compute_uv);
  }
};
struct LinalgSvd : Decomposition {
  static constexpr std::string_view
      name = "_linalg_svd",
      doc = "U, the singular values S, descending, and V^T of A = U diag(S) V^T.";
  static constexpr std::string_view signatures =
      "(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor "
      "U, Tensor S, Tensor Vh)";
  static constexpr int arity = 1;
  using Attrs = SvdAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

enum class Triangular : uint8_t { lower, upper };
constexpr auto names_of_values(Triangular) {
  return std::array<std::string_view, 2>{"L", "U"};
}
struct EighAttrs {
  Triangular UPLO = Triangular::lower;
  bool compute_v = true;
  static constexpr void each(auto&& f) {
    f("UPLO", &EighAttrs::UPLO);
    f("compute_v", &EighAttrs::compute_v);
  }
};
struct LinalgEigh : Decomposition {
  static constexpr std::string_view
      name = "_linalg_eigh",
      doc =
          "The eigenvalues w, ascending, and V of A = V diag(w) V^T for a symmetric A, of which "
          "one triangle is read.";
  static constexpr std::string_view signatures =
      "(Tensor A, str UPLO=\"L\", bool compute_v=True) -> (Tensor eigenvalues, Tensor "
      "eigenvectors)";
  static constexpr int arity = 1;
  using Attrs = EighAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

struct LdlAttrs {
  bool hermitian = false, check_errors = false;
  static constexpr void each(auto&& f) {
    f("hermitian", &LdlAttrs::hermitian);
    f("check_errors", &LdlAttrs::check_errors);
  }
};
struct LinalgLdlFactorEx : Decomposition {
  static constexpr std::string_view
      name = "linalg_ldl_factor_ex",
      doc =
          "L and the block diagonal D of A = L D L^T in one matrix, of a symmetric A, of which the "
          "lower triangle is read; LAPACK's pivots (i32); info.";
  static constexpr std::string_view signatures =
      "(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor "
      "pivots, Tensor info)";
  static constexpr int arity = 1;
  using Attrs = LdlAttrs;
  static constexpr std::string_view not_differentiable = "torch defines none";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
};

struct LdlSolveAttrs {
  bool hermitian = false;
  static constexpr void each(auto&& f) { f("hermitian", &LdlSolveAttrs::hermitian); }
};
struct LinalgLdlSolve : Decomposition {
  static constexpr std::string_view name = "linalg_ldl_solve",
                                    doc = "X with A X = B, for A = L D L^T.";
  static constexpr std::string_view signatures =
      "(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor";
  static constexpr int arity = 3;
  static constexpr auto function = &vitro::linalg_ldl_solve;
  using Attrs = LdlSolveAttrs;
  static constexpr std::string_view not_differentiable = "torch defines none";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
};

struct Geqrf : Decomposition {
  static constexpr std::string_view
      name = "geqrf",
      doc =
          "R of A = Q R, and below its diagonal the vectors of the reflections whose product is Q; "
          "the factors of the reflections.";
  static constexpr std::string_view signatures = "(Tensor self) -> (Tensor a, Tensor tau)";
  static constexpr int arity = 1;
  static constexpr std::string_view not_differentiable = "torch defines none";
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
};

struct LinalgMatrixExp : Decomposition {
  static constexpr std::string_view name = "linalg_matrix_exp",
                                    doc = "The sum of A^k / k! over k, of square matrices.";
  static constexpr std::string_view signatures = "(Tensor self) -> Tensor";
  static constexpr int arity = 1;
  static constexpr auto function = &vitro::linalg_matrix_exp;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

// The same op on complex matrices as pairs [..., m, n, 2]: the shape rule and the formula of the
// gradient are those of Op on complex tensors; the kernel is that of Op for complex elements.
void shape_of_pairs(ShapeCall& call, void (*shape)(ShapeCall&));
void gradient_of_pairs(Formula& f, void (*gradient)(Formula&));
template <class Op>
struct OfPairs : Decomposition {
  static constexpr std::string_view signatures = Op::signatures;
  static constexpr int arity = Op::arity;
  static void shape(ShapeCall& call) { shape_of_pairs(call, &Op::shape); }
};
template <class Op>
struct DifferentiableOfPairs : OfPairs<Op> {
  using Attrs = typename Op::Attrs;
  static void gradient(Formula& f) { gradient_of_pairs(f, &Op::gradient); }
};
struct CholeskyOfPairs : DifferentiableOfPairs<LinalgCholeskyEx> {
  static constexpr std::string_view name = "linalg_cholesky_ex_of_pairs",
                                    doc = "linalg_cholesky_ex of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct LuFactorOfPairs : DifferentiableOfPairs<LinalgLuFactorEx> {
  static constexpr std::string_view name = "linalg_lu_factor_ex_of_pairs",
                                    doc = "linalg_lu_factor_ex of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct LuSolveOfPairs : DifferentiableOfPairs<LinalgLuSolve> {
  static constexpr std::string_view name = "linalg_lu_solve_of_pairs",
                                    doc = "linalg_lu_solve of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct SolveTriangularOfPairs : DifferentiableOfPairs<LinalgSolveTriangular> {
  static constexpr std::string_view name = "linalg_solve_triangular_of_pairs",
                                    doc = "linalg_solve_triangular of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct QrOfPairs : DifferentiableOfPairs<LinalgQr> {
  static constexpr std::string_view name = "linalg_qr_of_pairs",
                                    doc = "linalg_qr of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct SvdOfPairs : DifferentiableOfPairs<LinalgSvd> {
  static constexpr std::string_view name = "_linalg_svd_of_pairs",
                                    doc = "_linalg_svd of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct EighOfPairs : DifferentiableOfPairs<LinalgEigh> {
  static constexpr std::string_view name = "_linalg_eigh_of_pairs",
                                    doc = "_linalg_eigh of pairs [..., 2].";
  static void kernel(const OpaqueCall& call);
};
struct LdlFactorOfPairs : OfPairs<LinalgLdlFactorEx> {
  static constexpr std::string_view name = "linalg_ldl_factor_ex_of_pairs",
                                    doc = "linalg_ldl_factor_ex of pairs [..., 2].";
  using Attrs = LdlAttrs;
  static constexpr std::string_view not_differentiable = LinalgLdlFactorEx::not_differentiable;
  static void kernel(const OpaqueCall& call);
};
struct LdlSolveOfPairs : OfPairs<LinalgLdlSolve> {
  static constexpr std::string_view name = "linalg_ldl_solve_of_pairs",
                                    doc = "linalg_ldl_solve of pairs [..., 2].";
  using Attrs = LdlSolveAttrs;
  static constexpr std::string_view not_differentiable = LinalgLdlSolve::not_differentiable;
  static void kernel(const OpaqueCall& call);
};
struct GeqrfOfPairs : OfPairs<Geqrf> {
  static constexpr std::string_view name = "geqrf_of_pairs", doc = "geqrf of pairs [..., 2].";
  static constexpr std::string_view not_differentiable = Geqrf::not_differentiable;
  static void kernel(const OpaqueCall& call);
};

struct EigAttrs {
  bool of_pairs = false, compute_v = true;
  static constexpr void each(auto&& f) {
    f("of_pairs", &EigAttrs::of_pairs);
    f("compute_v", &EigAttrs::compute_v);
  }
};
struct LinalgEig : Decomposition {
  static constexpr std::string_view
      name = "linalg_eig_to_pairs",
      doc =
          "The eigenvalues w and eigenvectors V of A V = V diag(w), complex numbers as pairs, of a "
          "real matrix, or of pairs.";
  static constexpr std::string_view signatures =
      "(Tensor A, bool of_pairs=False, bool compute_v=True) -> (Tensor eigenvalues, Tensor "
      "eigenvectors)";
  static constexpr int arity = 1;
  using Attrs = EigAttrs;
  static void shape(ShapeCall& call);
  static void kernel(const OpaqueCall& call);
  static void gradient(Formula& f);
};

}  // namespace ops

std::pair<Tensor, Tensor> linalg_cholesky_ex(ops::At x, bool upper = false,
                                             bool check_errors = false);
Tensor linalg_cholesky(ops::At x, bool upper = false);
Tensor cholesky(ops::At x, bool upper = false);
// X with A X = B, and the inverse of A, for the factor L of A = L L^T (`upper`: U of A = U^T U).
Tensor cholesky_solve(ops::At b, const Tensor& factor, bool upper = false);
Tensor cholesky_inverse(ops::At factor, bool upper = false);

// pivot must be true, as in torch on the CPU.
std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(ops::At A, bool pivot = true,
                                                       bool check_errors = false);
std::pair<Tensor, Tensor> linalg_lu_factor(ops::At A, bool pivot = true);
std::tuple<Tensor, Tensor, Tensor> linalg_lu(ops::At A, bool pivot = true);  // P, L, U
std::tuple<Tensor, Tensor, Tensor> lu_unpack(ops::At LU, const Tensor& pivots,
                                             bool unpack_data = true, bool unpack_pivots = true);
Tensor lu_solve(ops::At b, const Tensor& LU, const Tensor& pivots);

// B may be a vector [..., n], if it has one dimension or the sizes of A without the last.
std::pair<Tensor, Tensor> linalg_solve_ex(ops::At A, const Tensor& B, bool left = true,
                                          bool check_errors = false);
Tensor linalg_solve(ops::At A, const Tensor& B, bool left = true);
std::pair<Tensor, Tensor> linalg_inv_ex(ops::At A, bool check_errors = false);
Tensor linalg_inv(ops::At A);
Tensor inverse(ops::At A);
// A [first sizes..., other sizes...] as a matrix, `ind` dimensions for its rows.
Tensor linalg_tensorinv(ops::At A, int64_t ind = 2);
// X with tensordot(A, X) = B over the last dimensions of A; `dims` of A are moved to its end first.
Tensor linalg_tensorsolve(ops::At A, const Tensor& B, std::optional<Dims> dims = {});

Tensor linalg_det(ops::At A);
Tensor det(ops::At A);
// The sign of the determinant and the logarithm of its absolute value.
std::pair<Tensor, Tensor> linalg_slogdet(ops::At A);
std::pair<Tensor, Tensor> slogdet(ops::At A);
Tensor logdet(ops::At A);  // NaN if the determinant is negative

std::pair<Tensor, Tensor> linalg_qr(ops::At A, std::string_view mode = "reduced");
std::pair<Tensor, Tensor> qr(ops::At A, bool some = true);

// full_matrices: U is [..., m, m] and V^T [..., n, n], else [..., m, k] and [..., k, n].
std::tuple<Tensor, Tensor, Tensor> linalg_svd(ops::At A, bool full_matrices = true);
Tensor linalg_svdvals(ops::At A);
// The third result is V, not its transpose; without compute_uv U and V are 0.
std::tuple<Tensor, Tensor, Tensor> svd(ops::At A, bool some = true, bool compute_uv = true);

std::pair<Tensor, Tensor> linalg_eigh(ops::At A, std::string_view UPLO = "L");
Tensor linalg_eigvalsh(ops::At A, std::string_view UPLO = "L");

// Of any square matrix; the results are complex. The eigenvectors are the columns of the second.
std::pair<Tensor, Tensor> linalg_eig(ops::At A);
Tensor linalg_eigvals(ops::At A);

// Singular values (hermitian: absolute eigenvalues) of at most max(atol, rtol * the largest) count
// as 0. Without either, rtol is max(m, n) * the epsilon of the dtype.
Tensor linalg_pinv(ops::At A, std::optional<double> atol = {}, std::optional<double> rtol = {},
                   bool hermitian = false);
Tensor pinverse(ops::At A, double rcond = 1e-15);
Tensor linalg_matrix_rank(ops::At A, std::optional<double> atol = {},
                          std::optional<double> rtol = {}, bool hermitian = false);
// The norm of A times that of its inverse. p: 2, the default, or -2 by singular values; the orders
// of linalg_matrix_norm else. Infinite for a singular matrix.
Tensor linalg_cond(ops::At A, const std::optional<Scalar>& p = {});
Tensor linalg_cond(ops::At A, std::string_view p);

// `hermitian` changes nothing for real numbers; of complex ones it means A = L D L^H.
std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(ops::At A, bool hermitian = false,
                                                        bool check_errors = false);
std::pair<Tensor, Tensor> linalg_ldl_factor(ops::At A, bool hermitian = false);

std::pair<Tensor, Tensor> geqrf(ops::At A);
// The first columns of the product of the reflections I - tau[i] v[i] v[i]^T, with the vectors v
// below the diagonal of `input` [..., m, n], 1 on it: Q for the result of geqrf.
Tensor linalg_householder_product(ops::At input, const Tensor& tau);
Tensor orgqr(ops::At input, const Tensor& tau);
// The product of that Q [..., m, m], or of its transpose, with `other`: Q other (`left`) or other
// Q.
Tensor ormqr(ops::At input, const Tensor& tau, const Tensor& other, bool left = true,
             bool transpose = false);

// X that minimizes |A X - B|, the shortest one if there are several; the sums of the squares of
// A X - B, the ranks and the singular values, each without elements where torch returns none for
// the driver ("gels", "gelsy", which is the default, "gelsd" or "gelss"). Singular values up to
// rcond * the largest count as 0; it is max(m, n) * epsilon if left out, and not used by gels,
// which needs matrices of full rank. With gelsd and gelss there are residuals only if all matrices
// have full rank: in a compiled function their number is a data size for one matrix, and a graph
// break for several.
std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(
    ops::At A, const Tensor& B, std::optional<double> rcond = {},
    const std::optional<std::string>& driver = {});

}  // namespace vitro
