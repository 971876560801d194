// Decompositions whose vectors are LAPACK's choice: their products are the matrix again. And what a
// matrix without a decomposition does.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "error_of.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

Tensor matrix(const std::vector<int64_t>& sizes, double step = 0.37) {
  Sizes all;
  for (const int64_t size : sizes) all.push_back(size);
  const Tensor places = to(arange(product(all)), DType::f64);
  return reshape(sin(places * places * step + 1.0), all);
}

// The largest difference of any two elements.
double distance(const Tensor& a, const Tensor& b) {
  return amax(abs(a - b)).item<double>();
}
Tensor identity(int64_t n) {
  return eye(n, {}, DType::f64);
}

TEST(Decomposition, of_singular_values_has_orthonormal_vectors_and_the_matrix_as_product) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{3, 3}, {5, 3}, {3, 5}, {2, 4, 3}, {2, 3, 4}, {1, 1}}) {
    const Tensor a = matrix(sizes);
    const auto [u, s, vh] = linalg_svd(a, false);
    EXPECT_LT(distance(matmul(u * unsqueeze(s, -2), vh), a), 1e-12);
    EXPECT_LT(distance(matmul(transpose(u, -1, -2), u), identity(s.size(-1).value())), 1e-12);
    EXPECT_LT(distance(matmul(vh, transpose(vh, -1, -2)), identity(s.size(-1).value())), 1e-12);
    const auto [whole_u, same, whole_vh] = linalg_svd(a);
    EXPECT_LT(distance(matmul(whole_u, transpose(whole_u, -1, -2)), identity(a.size(-2).value())),
              1e-12);
    EXPECT_LT(distance(matmul(whole_vh, transpose(whole_vh, -1, -2)), identity(a.size(-1).value())),
              1e-12);
    const Size k = s.size(-1);
    EXPECT_LT(
        distance(
            matmul(narrow(whole_u, -1, 0, k) * unsqueeze(same, -2), narrow(whole_vh, -2, 0, k)), a),
        1e-12);
  }
}

TEST(Decomposition, of_eigenvalues_has_orthonormal_vectors_and_the_matrix_as_product) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{1, 1}, {4, 4}, {2, 3, 3}}) {
    const Tensor half = matrix(sizes), a = half + transpose(half, -1, -2);
    for (const std::string_view triangle : {"L", "U"}) {
      const auto [w, v] = linalg_eigh(a, triangle);
      EXPECT_LT(distance(matmul(v * unsqueeze(w, -2), transpose(v, -1, -2)), a), 1e-12);
      EXPECT_LT(distance(matmul(transpose(v, -1, -2), v), identity(w.size(-1).value())), 1e-12);
    }
  }
}

Tensor complex_matrix(const std::vector<int64_t>& sizes) {
  return complex(matrix(sizes), matrix(sizes, 0.53));
}
Tensor adjoint(const Tensor& x) {
  return conj(transpose(x, -2, -1));
}
Tensor complex_identity(int64_t n) {
  return to(identity(n), DType::c128);
}

TEST(Decomposition, of_complex_matrices_has_unitary_factors_and_the_matrix_as_product) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{3, 3}, {5, 3}, {3, 5}, {2, 4, 3}, {1, 1}}) {
    const Tensor a = complex_matrix(sizes);
    const auto [u, s, vh] = linalg_svd(a, false);
    const int64_t k = s.size(-1).value();
    EXPECT_EQ(s.dtype(), DType::f64);
    EXPECT_LT(distance(matmul(u * unsqueeze(s, -2), vh), a), 1e-12);
    EXPECT_LT(distance(matmul(adjoint(u), u), complex_identity(k)), 1e-12);
    EXPECT_LT(distance(matmul(vh, adjoint(vh)), complex_identity(k)), 1e-12);
    const auto [q, r] = linalg_qr(a);
    EXPECT_LT(distance(matmul(q, r), a), 1e-12);
    EXPECT_LT(distance(matmul(adjoint(q), q), complex_identity(k)), 1e-12);
  }
}

TEST(Decomposition, of_a_hermitian_matrix_has_real_eigenvalues) {
  const Tensor half = complex_matrix({2, 3, 3}), a = half + adjoint(half);
  for (const std::string_view triangle : {"L", "U"}) {
    const auto [w, v] = linalg_eigh(a, triangle);
    EXPECT_EQ(w.dtype(), DType::f64);
    EXPECT_LT(distance(matmul(v * unsqueeze(w, -2), adjoint(v)), a), 1e-12);
    EXPECT_LT(distance(matmul(adjoint(v), v), complex_identity(3)), 1e-12);
  }
}

TEST(Decomposition, of_any_eigenvalues_multiplies_their_vectors) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{1, 1}, {2, 2}, {5, 5}, {3, 4, 4}}) {
    for (const Tensor& a : {matrix(sizes), complex_matrix(sizes)}) {
      const auto [w, v] = linalg_eig(a);
      EXPECT_EQ(w.dtype(), DType::c128);
      EXPECT_LT(distance(matmul(to(a, DType::c128), v), v * unsqueeze(w, -2)), 1e-12);
      EXPECT_LT(distance(linalg_vector_norm(v, 2, {-2}), ones(w.sizes(), DType::f64)), 1e-12);
      EXPECT_LT(distance(linalg_eigvals(a), w), 1e-12);
    }
  }
  EXPECT_EQ(linalg_eigvals(matrix({0, 0})).sizes(), (Sizes{0}));
  EXPECT_EQ(linalg_eigvals(to(matrix({2, 2}), DType::f32)).dtype(), DType::c64);
}

// The eigenvalues of a real matrix come in pairs of conjugates, to the last bit.
TEST(Decomposition, of_a_rotation_has_conjugate_eigenvalues) {
  const Tensor turn = Tensor::from<double>({0.6, -0.8, 0.8, 0.6}, {2, 2});
  const auto [w, v] = linalg_eig(turn);
  const auto values = w.to_vector<std::complex<double>>();
  EXPECT_EQ(values[0], std::conj(values[1]));
  EXPECT_NEAR(values[0].real(), 0.6, 1e-15);
  EXPECT_NEAR(std::abs(values[0].imag()), 0.8, 1e-15);
  EXPECT_EQ(distance(select(v, 1, 0), conj(select(v, 1, 1))), 0);
}

TEST(Decomposition, of_complex_matrices_has_the_bits_of_eager_when_compiled) {
  const auto program = [](const Tensor& a, const Tensor& b) {
    const auto [q, r] = linalg_qr(a * 2.0 + 1.0);
    return linalg_solve(matmul(r, r) + 1.0, b) + linalg_det(r) + sum(q) + sum(linalg_eigvals(a)) +
           amax(linalg_svdvals(a));
  };
  const auto fast = compile(program);
  for (const int64_t n : {3, 4, 7}) {
    const Tensor a = complex_matrix({n, n}), b = complex_matrix({n, 2});
    EXPECT_EQ(distance(fast(a, b), program(a, b)), 0) << n;
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(Decomposition, of_complex_matrices_says_what_is_wrong) {
  const Tensor a = complex_matrix({3, 3});
  EXPECT_EQ(error_of([&] {
              (void)linalg_cholesky(a);
            }).rfind("linalg_cholesky: the matrix is not positive-definite", 0),
            0U);
  EXPECT_EQ(error_of([&] { (void)linalg_solve(a, matrix({3, 1})); }),
            "linalg_solve: dtypes of A and B differ: c128 and f64; cast one of them");
  EXPECT_EQ(error_of([&] { (void)linalg_qr(select(a, 0, 0)); }),
            "linalg_qr: needs a matrix or a batch of matrices, got sizes [3]");
  EXPECT_EQ(error_of([&] { (void)linalg_eig(slice(a, 0, 0, 2)); }),
            "linalg_eig: needs a square matrix or a batch of them, got sizes [2, 3]");
  EXPECT_EQ(error_of([&] { (void)linalg_eig(full({2, 2}, HUGE_VAL)); }),
            "linalg_eig: the matrix contains infinities or NaN");
  EXPECT_EQ(error_of([&] { (void)linalg_eig(zeros({2, 2}, DType::i64)); }),
            "linalg_eig: takes f32, f64, c64 or c128, got i64; cast it first");
}

// The same kernel, between generated ones, with the same bits; for other sizes, too.
TEST(Decomposition, of_a_compiled_call_has_the_bits_of_eager) {
  const auto program = [](const Tensor& a, const Tensor& b) {
    const auto [q, r] = linalg_qr(a * 2.0 + 1.0);
    return linalg_solve(matmul(r, r) + 1.0, b) + linalg_det(r) + sum(q);
  };
  const auto fast = compile(program);
  for (const int64_t n : {3, 4, 7}) {
    const Tensor a = matrix({n, n}), b = matrix({n, 2}, 0.71);
    const Tensor expected = program(a, b), got = fast(a, b);
    EXPECT_EQ(distance(got, expected), 0) << n;
  }
}

TEST(Decomposition, that_does_not_exist_is_an_error_of_the_called_function) {
  const Tensor zero = zeros({2, 3, 3}, DType::f64);
  EXPECT_EQ(
      error_of([&] { (void)linalg_inv(zero); }).rfind("linalg_inv: the matrix is singular", 0), 0u);
  EXPECT_NE(error_of([&] { (void)linalg_solve(zero, zero); }).find("linalg_solve: the matrix"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)linalg_cholesky(zero); }).find("leading minor of order 1"),
            std::string::npos);
  const auto [inverse, info] = linalg_inv_ex(zero);
  EXPECT_EQ(info.sizes().size(), 1u);
  EXPECT_EQ(sum(info).item<int64_t>(), 2);
  const auto fast = compile([](const Tensor& a) { return linalg_inv(a + 0.0); });
  EXPECT_NE(error_of([&] { (void)fast(zero); }).find("linalg_inv: the matrix is singular"),
            std::string::npos);
}

TEST(Decomposition, of_a_tall_matrix_takes_memory_for_its_columns_only) {
  const Tensor tall = to(matrix({200000, 2}), DType::f32);  // 160 GB if it were square
  const auto [q, r] = linalg_qr(tall);
  EXPECT_LT(distance(to(matmul(q, r), DType::f64), to(tall, DType::f64)), 1e-4);
}

TEST(Decomposition, of_more_than_fits_into_memory_is_an_error) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a process that asks for so much";
#endif
  const Tensor huge = expand(ones({1, 1}), {int64_t{1} << 24, int64_t{1} << 24});
  EXPECT_TRUE(error_of([&] { (void)linalg_svdvals(huge); }).starts_with("cpu: cannot allocate"))
      << error_of([&] { (void)linalg_svdvals(huge); });
}

TEST(Decomposition, solves_from_either_side) {
  const Tensor a = matrix({2, 4, 4}), b = matrix({2, 4, 3}, 0.71);
  EXPECT_LT(distance(matmul(a, linalg_solve(a, b)), b), 1e-9);
  const Tensor c = transpose(b, -1, -2);
  EXPECT_LT(distance(matmul(linalg_solve(a, c, false), a), c), 1e-9);
  const std::vector<Tensor> all =
      ops::call("_linalg_solve_ex", {}, {{"A", a}, {"B", c}, {"left", false}});
  const auto [p, l, u] = lu_unpack(all[1], all[2]);
  EXPECT_LT(distance(matmul(p, matmul(l, u)), a), 1e-12);
}

TEST(Decomposition, of_elements_that_are_not_finite_ends) {
  const Tensor nan = full({3, 3}, std::nan(""), DType::f64);
  EXPECT_NE(error_of([&] { (void)linalg_svd(nan); }).find("contains NaN"), std::string::npos);
  EXPECT_TRUE(all(isnan(linalg_eigvalsh(nan))).item<bool>());
}

TEST(Decomposition, by_reflections_has_the_matrix_as_product) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{3, 3}, {5, 3}, {2, 4, 3}, {1, 1}}) {
    const Tensor a = matrix(sizes);
    const auto [reflections, tau] = geqrf(a);
    const Tensor q = linalg_householder_product(reflections, tau);
    const Size n = a.size(-1);
    const Tensor r = triu(narrow(reflections, -2, 0, n));
    EXPECT_LT(distance(matmul(q, r), a), 1e-12);
    EXPECT_LT(distance(matmul(transpose(q, -1, -2), q), identity(n.value())), 1e-12);
    EXPECT_LT(distance(ormqr(reflections, tau, constant_pad_nd(r, {0, 0, 0, a.size(-2) - n})), a),
              1e-12);
    // Q^T Q = 1, on either side, for the whole Q
    const Tensor whole = eye(a.size(-2), {}, DType::f64);
    Sizes square = a.sizes();
    square.back() = a.size(-2);
    const Tensor all = expand(whole, square);
    const Tensor once = ormqr(reflections, tau, all);
    EXPECT_LT(distance(ormqr(reflections, tau, once, true, true), whole), 1e-12);
    EXPECT_LT(distance(ormqr(reflections, tau, once, false, true), whole), 1e-12);
  }
}

TEST(Decomposition, of_indefinite_matrices_solves_equations) {
  const Tensor half = matrix({2, 5, 5}), b = matrix({5, 3}, 0.21);
  const Tensor a = half + transpose(half, -1, -2);
  const Tensor blocks = a - diag_embed(diagonal(a, 0, -2, -1));  // D has blocks of two rows
  for (const Tensor& one : {a, blocks}) {
    const auto [ld, pivots] = linalg_ldl_factor(one);
    EXPECT_LT(distance(matmul(one, linalg_ldl_solve(ld, pivots, b)), expand(b, {2, 5, 3})), 1e-11);
  }
  const auto [ld, pivots] = linalg_ldl_factor(a);
  EXPECT_EQ(error_of([&, &factor = ld, &swaps = pivots] {
              (void)linalg_ldl_solve(factor, swaps * 9, b);
            }).find("linalg_ldl_solve: pivot "),
            0U);
  EXPECT_EQ(error_of([] { (void)linalg_ldl_factor(zeros({2, 2}, DType::f64)); }),
            "linalg_ldl_factor: the matrix is singular: element 0 of the diagonal of D is 0");
}

TEST(Decomposition, minimizes_the_squares_of_equations_without_a_solution) {
  for (const std::vector<int64_t>& sizes :
       std::vector<std::vector<int64_t>>{{6, 3}, {3, 6}, {2, 4, 4}}) {
    const Tensor a = matrix(sizes);
    std::vector<int64_t> of_b = sizes;
    of_b.back() = 2;
    const Tensor b = matrix(of_b, 0.21);
    for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
      const auto [x, residuals, rank, values] = linalg_lstsq(a, b, {}, driver);
      const Tensor rest = matmul(a, x) - b;
      EXPECT_LT(distance(matmul(transpose(a, -1, -2), rest), zeros_like(x)), 1e-9) << driver;
    }
  }
}

// The number of residuals of one matrix, which depends on its rank, is a data size.
TEST(Decomposition, of_least_squares_is_one_graph_whether_there_are_residuals) {
  for (const char* driver : {"gelsd", "gelss"}) {
    const auto program = [driver](const Tensor& a, const Tensor& b) {
      const auto [x, residuals, rank, values] = linalg_lstsq(a, b, {}, driver);
      return std::vector<Tensor>{x, residuals * 2.0, rank};
    };
    auto fast = compile(program, {.fullgraph = true});
    const Tensor full = matrix({6, 3}), b = matrix({6, 2}, 0.21);
    const Tensor deficient = matmul(matrix({6, 2}), matrix({2, 3}, 0.4));
    for (const auto& [a, count] : {std::pair(full, 2), std::pair(deficient, 0)}) {
      const std::vector<Tensor> want = program(a, b), got = fast(a, b);
      EXPECT_EQ(want[1].size(0), count);
      for (size_t i = 0; i < want.size(); ++i) {
        EXPECT_EQ(to(got[i], DType::f64).to_vector<double>(),
                  to(want[i], DType::f64).to_vector<double>());
      }
    }
    EXPECT_TRUE(fast.report().fallbacks.empty());
  }
}

TEST(Decomposition, has_no_part_in_an_exponential_which_is_one_of_sums) {
  const Tensor a = matrix({2, 4, 4}), whole = expand(identity(4), {2, 4, 4});
  EXPECT_LT(distance(matmul(linalg_matrix_exp(a * 3), linalg_matrix_exp(a * -3)), whole), 1e-9);
  EXPECT_LT(distance(linalg_matrix_exp(a * 2), matmul(linalg_matrix_exp(a), linalg_matrix_exp(a))),
            1e-11);
  const Tensor turned = reshape(Tensor::from({0.0, -2.0, 2.0, 0.0}, {4}), {2, 2});
  const Tensor by_2 =
      Tensor::from({std::cos(2.0), -std::sin(2.0), std::sin(2.0), std::cos(2.0)}, {2, 2});
  EXPECT_LT(distance(linalg_matrix_exp(turned), by_2), 1e-14);
}

}  // namespace
}  // namespace vitro
