// Kernels of decompositions: each copies one matrix after the other into column-major memory, calls
// LAPACK, and copies the results to where they belong.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <tuple>

#include "ops/lapack.h"
#include "vitro/base/error.h"
#include "vitro/ops/decomposition.h"

namespace vitro::ops {
namespace {

using lapack::Int;
using lapack::is_complex;
using lapack::Real;

Int lapack_size(std::string_view op, int64_t size) {
  VITRO_CHECK(size <= std::numeric_limits<Int>::max(), op, ": LAPACK takes sizes up to ",
              std::numeric_limits<Int>::max(), ", got ", size);
  return static_cast<Int>(size);
}
Int at_least_1(Int n) {
  return std::max(n, Int{1});
}

// The last `inner` dimensions of a tensor (2: matrices, 1: vectors, 0: numbers) for each index of
// those before them. Complex numbers are pairs of another dimension.
template <class T>
class Batch {
 public:
  Batch(std::string_view op, const OpaqueTensor& t, size_t inner)
      : data_(static_cast<Real<T>*>(t.data)),
        sizes_(t.sizes.first(t.sizes.size() - inner - (is_complex<T> ? 1 : 0))),
        strides_(t.strides.first(sizes_.size())) {
    const size_t outer = sizes_.size();
    if (is_complex<T>) apart_ = t.strides.back();
    if (inner > 0) rows = lapack_size(op, t.sizes[outer]), down_ = t.strides[outer];
    if (inner > 1) columns = lapack_size(op, t.sizes[outer + 1]), right_ = t.strides[outer + 1];
    for (const int64_t size : sizes_) count *= size;
  }

  int64_t count = 1;
  Int rows = 1, columns = 1;

  Batch transposed() const {
    Batch other = *this;
    std::swap(other.rows, other.columns);
    std::swap(other.down_, other.right_);
    return other;
  }
  // Element b of the batch, to and from columns whose beginnings are `leading` elements apart.
  void load(int64_t b, T* to, int64_t leading) const {
    const Real<T>* from = place(b);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i) to[j * leading + i] = get(from + i * down_ + j * right_);
  }
  void store(int64_t b, const T* from, int64_t leading) const {
    Real<T>* to = place(b);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i) set(to + i * down_ + j * right_, from[j * leading + i]);
  }
  void fill(int64_t b, T value) const {
    Real<T>* to = place(b);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < rows; ++i) set(to + i * down_ + j * right_, value);
  }

 private:
  T get(const Real<T>* at) const {
    if constexpr (is_complex<T>)
      return {at[0], at[apart_]};
    else
      return *at;
  }
  void set(Real<T>* at, T value) const {
    if constexpr (is_complex<T>) {
      at[0] = value.real();
      at[apart_] = value.imag();
    } else {
      *at = value;
    }
  }
  Real<T>* place(int64_t b) const {
    Real<T>* at = data_;
    for (size_t d = sizes_.size(); d-- > 0; b /= sizes_[d]) at += b % sizes_[d] * strides_[d];
    return at;
  }
  Real<T>* data_;
  std::span<const int64_t> sizes_, strides_;
  int64_t down_ = 0, right_ = 0, apart_ = 0;
};

// Uninitialized.
template <class T>
std::unique_ptr<T[]> memory(int64_t rows, int64_t columns = 1) {
  try {
    return std::make_unique_for_overwrite<T[]>(static_cast<size_t>(std::max<int64_t>(rows, 1)) *
                                               static_cast<size_t>(std::max<int64_t>(columns, 1)));
  } catch (const std::bad_alloc&) {
    throw Error(
        cat("cpu: cannot allocate a copy of a matrix of sizes [", rows, ", ", columns, "]"));
  }
}

// A batch of f32 or f64, or of pairs of them, whose elements are loaded and stored as T: double, or
// complex numbers of it.
template <class T>
class WideBatch {
  using Narrow = std::conditional_t<is_complex<T>, std::complex<float>, float>;

 public:
  WideBatch(std::string_view op, const OpaqueTensor& t, size_t inner)
      : is_wide_(t.dtype == DType::f64), wide_(op, t, inner), narrow_(op, t, inner) {}

  int64_t count() const { return wide_.count; }
  Int rows() const { return wide_.rows; }
  Int columns() const { return wide_.columns; }
  // Columns are contiguous in `to` and `from`.
  void load(int64_t b, T* to) const {
    if (is_wide_) return wide_.load(b, to, rows());
    const auto narrow = memory<Narrow>(rows(), columns());
    narrow_.load(b, narrow.get(), rows());
    std::copy_n(narrow.get(), elements(), to);
  }
  void store(int64_t b, const T* from) const {
    if (is_wide_) return wide_.store(b, from, rows());
    const auto narrow = memory<Narrow>(rows(), columns());
    for (int64_t i = 0; i < elements(); ++i) narrow[i] = static_cast<Narrow>(from[i]);
    narrow_.store(b, narrow.get(), rows());
  }

 private:
  int64_t elements() const { return int64_t{rows()} * columns(); }
  bool is_wide_;
  Batch<T> wide_;
  Batch<Narrow> narrow_;
};

// Calls a kernel for the element type of operand 0.
template <class F>
void with_type(const OpaqueCall& call, F&& f) {
  if (call.operands[0].tensor.dtype == DType::f64)
    f.template operator()<double>();
  else
    f.template operator()<float>();
}

// The same, of pairs.
template <class F>
void with_pairs(const OpaqueCall& call, F&& f) {
  if (call.operands[0].tensor.dtype == DType::f64)
    f.template operator()<std::complex<double>>();
  else
    f.template operator()<std::complex<float>>();
}

template <class T>
bool is_finite(const T* x, int64_t count) {
  return std::all_of(x, x + count, [](T one) { return std::isfinite(std::abs(one)); });
}
template <class T>
bool has_nan(const T* x, int64_t count) {
  return std::any_of(x, x + count, [](T one) { return one != one; });
}

// Ends an error about one matrix of a batch.
std::string of_batch(int64_t b, int64_t count) {
  return count == 1 ? "" : cat(" (matrix ", b, " of the batch)");
}

// Work memory of the size that LAPACK asks for; `call(work, lwork)` with lwork = -1 asks.
template <class T, class F>
std::pair<std::unique_ptr<T[]>, Int> work_for(std::string_view op, F&& call) {
  T answer{};
  call(&answer, Int{-1});
  const Real<T> wanted = std::real(answer);
  // A float does not hold all large integers: the next one above is enough.
  const Real<T> above = std::nextafter(wanted, std::numeric_limits<Real<T>>::infinity());
  const Int size = at_least_1(lapack_size(op, static_cast<int64_t>(std::ceil(above))));
  return {memory<T>(size), size};
}

// The elements of an n x n matrix that are not in the triangle become 0.
template <class T>
void keep_triangle(T* a, Int n, bool upper) {
  for (Int j = 0; j < n; ++j) {
    T* column = a + static_cast<int64_t>(j) * n;
    if (upper)
      std::fill(column + j + 1, column + n, T(0));
    else
      std::fill(column, column + j, T(0));
  }
}

template <class T>
void make_identity(T* a, Int n) {
  std::fill(a, a + static_cast<int64_t>(n) * n, T(0));
  for (Int i = 0; i < n; ++i) a[static_cast<int64_t>(i) * n + i] = 1;
}

template <class T>
void cholesky_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgCholeskyEx::name;
  const auto& attrs = call.attrs.as<CholeskyAttrs>();
  const Batch<T> in(op, call.operands[0].tensor, 2), out(op, call.results[0], 2);
  const Batch<Int> infos(op, call.results[1], 0);
  const Int n = in.rows, lead = at_least_1(n);
  const auto a = memory<T>(n, n);
  for (int64_t b = 0; b < in.count; ++b) {
    in.load(b, a.get(), n);
    Int info = 0;
    lapack::functions<T>(op).potrf(attrs.upper ? "U" : "L", &n, a.get(), &lead, &info, 1);
    VITRO_CHECK(info == 0 || !attrs.check_errors, op, ": the matrix is not positive-definite",
                of_batch(b, in.count), ": its leading minor of order ", info, " is not");
    keep_triangle(a.get(), n, attrs.upper);
    out.store(b, a.get(), n);
    infos.fill(b, info);
  }
}

template <class T>
void lu_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgLuFactorEx::name;
  const bool check = call.attrs.as<LuAttrs>().check_errors;
  const Batch<T> in(op, call.operands[0].tensor, 2), out(op, call.results[0], 2);
  const Batch<Int> pivots(op, call.results[1], 1), infos(op, call.results[2], 0);
  const Int m = in.rows, n = in.columns, lead = at_least_1(m);
  const auto a = memory<T>(m, n);
  const auto swaps = memory<Int>(pivots.rows);
  for (int64_t b = 0; b < in.count; ++b) {
    in.load(b, a.get(), m);
    Int info = 0;
    lapack::functions<T>(op).getrf(&m, &n, a.get(), &lead, swaps.get(), &info);
    VITRO_CHECK(info == 0 || !check, op, ": the matrix is singular", of_batch(b, in.count),
                ": pivot ", info - 1, " is 0");
    out.store(b, a.get(), m);
    pivots.store(b, swaps.get(), pivots.rows);
    infos.fill(b, info);
  }
}

// The rows of the identity in the order in which A has those of L U.
template <class T>
void permutation(const Batch<Int>& pivots, int64_t b, const Batch<T>& out) {
  const Int m = out.rows;
  const auto swaps = memory<Int>(pivots.rows), order = memory<Int>(m);
  pivots.load(b, swaps.get(), pivots.rows);
  for (Int i = 0; i < m; ++i) order[i] = i;
  for (Int i = 0; i < pivots.rows; ++i) {
    VITRO_CHECK(1 <= swaps[i] && swaps[i] <= m, "lu_unpack: pivot ", swaps[i],
                " is out of range for ", m, " rows, which count from 1");
    std::swap(order[i], order[swaps[i] - 1]);
  }
  const auto p = memory<T>(m, m);
  std::fill(p.get(), p.get() + static_cast<int64_t>(m) * m, T(0));
  for (Int i = 0; i < m; ++i) p[static_cast<int64_t>(i) * m + order[i]] = 1;
  out.store(b, p.get(), m);
}

template <class T>
void unpack_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LuUnpack::name;
  const auto& attrs = call.attrs.as<LuUnpackAttrs>();
  const Batch<T> in(op, call.operands[0].tensor, 2);
  const Int m = in.rows, n = in.columns, k = std::min(m, n);
  if (attrs.unpack_pivots) {
    const Batch<Int> pivots(op, call.operands[1].tensor, 1);
    const Batch<T> p(op, call.results[0], 2);
    for (int64_t b = 0; b < in.count; ++b) permutation(pivots, b, p);
  }
  if (!attrs.unpack_data) return;
  const Batch<T> lower(op, call.results[1], 2), upper(op, call.results[2], 2);
  const auto a = memory<T>(m, n), part = memory<T>(std::max(m, n), k);
  for (int64_t b = 0; b < in.count; ++b) {
    in.load(b, a.get(), m);
    for (int64_t j = 0; j < k; ++j)
      for (int64_t i = 0; i < m; ++i) part[j * m + i] = i < j ? T(0) : i == j ? T(1) : a[j * m + i];
    lower.store(b, part.get(), m);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < k; ++i) part[j * k + i] = i > j ? T(0) : a[j * m + i];
    upper.store(b, part.get(), k);
  }
}

template <class T>
void conjugate(T* x, int64_t count) {
  if constexpr (is_complex<T>) std::transform(x, x + count, x, [](T z) { return std::conj(z); });
}

template <class T>
void lu_solve_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgLuSolve::name;
  const auto& attrs = call.attrs.as<LuSolveAttrs>();
  const Batch<T> factors(op, call.operands[0].tensor, 2);
  const Batch<Int> pivots(op, call.operands[1].tensor, 1);
  Batch<T> right(op, call.operands[2].tensor, 2), out(op, call.results[0], 2);
  if (!attrs.left) right = right.transposed(), out = out.transposed();  // A^T X^T = B^T
  // of complex numbers X A^H = B is A conj(X)^T = conj(B)^T
  const bool is_conjugate = is_complex<T> && !attrs.left && attrs.adjoint;
  const char* trans = attrs.adjoint != attrs.left ? "N" : is_complex<T> && attrs.left ? "C" : "T";
  const Int n = factors.rows, columns = right.columns, lead = at_least_1(n);
  const auto lu = memory<T>(n, n), x = memory<T>(n, columns);
  const auto swaps = memory<Int>(n);
  for (int64_t b = 0; b < out.count; ++b) {
    factors.load(b, lu.get(), n);
    pivots.load(b, swaps.get(), n);
    for (Int i = 0; i < n; ++i)
      VITRO_CHECK(1 <= swaps[i] && swaps[i] <= n, op, ": pivot ", swaps[i], " is out of range for ",
                  n, " rows, which count from 1");
    right.load(b, x.get(), n);
    if (is_conjugate) conjugate(x.get(), int64_t{n} * columns);
    Int info = 0;
    lapack::functions<T>(op).getrs(trans, &n, &columns, lu.get(), &lead, swaps.get(), x.get(),
                                   &lead, &info, 1);
    VITRO_ASSERT(info == 0);
    if (is_conjugate) conjugate(x.get(), int64_t{n} * columns);
    out.store(b, x.get(), n);
  }
}

template <class T>
void triangular_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgSolveTriangular::name;
  const auto& attrs = call.attrs.as<TriangularAttrs>();
  const Batch<T> factors(op, call.operands[0].tensor, 2), right(op, call.operands[1].tensor, 2),
      out(op, call.results[0], 2);
  const Int n = factors.rows, rows = right.rows, columns = right.columns;
  const Int lead = at_least_1(n), lead_of_x = at_least_1(rows);
  const T one = 1;
  const auto a = memory<T>(n, n), x = memory<T>(rows, columns);
  for (int64_t b = 0; b < out.count; ++b) {
    factors.load(b, a.get(), n);
    right.load(b, x.get(), rows);
    lapack::functions<T>(op).trsm(attrs.left ? "L" : "R", attrs.upper ? "U" : "L", "N",
                                  attrs.unitriangular ? "U" : "N", &rows, &columns, &one, a.get(),
                                  &lead, x.get(), &lead_of_x, 1, 1, 1, 1);
    out.store(b, x.get(), rows);
  }
}

template <class T>
void qr_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgQr::name;
  const QrMode mode = call.attrs.as<QrAttrs>().mode;
  const Batch<T> in(op, call.operands[0].tensor, 2), upper(op, call.results[1], 2);
  const Int m = in.rows, n = in.columns, k = std::min(m, n), lead = at_least_1(m);
  const Int columns = mode == QrMode::complete ? m : k;  // of Q
  const auto a = memory<T>(m, std::max(n, columns)), tau = memory<T>(k),
             r = memory<T>(upper.rows, n);
  const auto& f = lapack::functions<T>(op);
  Int info = 0;
  const auto factor = [&](T* work, Int size) {
    f.geqrf(&m, &n, a.get(), &lead, tau.get(), work, &size, &info);
  };
  const auto unfold = [&](T* work, Int size) {
    f.orgqr(&m, &columns, &k, a.get(), &lead, tau.get(), work, &size, &info);
  };
  const auto [work, size] = work_for<T>(op, factor);
  const auto [work_of_q, size_of_q] = work_for<T>(op, unfold);
  for (int64_t b = 0; b < in.count; ++b) {
    in.load(b, a.get(), m);
    if (k > 0) factor(work.get(), size);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < upper.rows; ++i) r[j * upper.rows + i] = i > j ? T(0) : a[j * m + i];
    upper.store(b, r.get(), upper.rows);
    if (mode == QrMode::r) continue;
    if (k > 0)
      unfold(work_of_q.get(), size_of_q);
    else
      make_identity(a.get(), columns);
    VITRO_ASSERT(info == 0);
    Batch<T>(op, call.results[0], 2).store(b, a.get(), m);
  }
}

// The real numbers that LAPACK needs for a complex matrix, as the manual of gesdd says.
template <class T>
int64_t real_work_of_svd(int64_t longer, int64_t k, bool vectors) {
  if (!is_complex<T>) return 0;
  return vectors ? std::max(5 * k * k + 5 * k, 2 * longer * k + 2 * k * k + k) : 7 * k;
}

template <class T>
void svd_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgSvd::name;
  const auto& attrs = call.attrs.as<SvdAttrs>();
  const Batch<T> in(op, call.operands[0].tensor, 2);
  const Batch<Real<T>> values(op, call.results[1], 1);
  const Int m = in.rows, n = in.columns, k = std::min(m, n), lead = at_least_1(m);
  const Int columns = attrs.full_matrices ? m : k, rows = attrs.full_matrices ? n : k;
  const Int lead_of_v = at_least_1(rows);
  const char* job = !attrs.compute_uv ? "N" : attrs.full_matrices ? "A" : "S";
  const bool vectors = attrs.compute_uv;
  constexpr Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
  const auto a = memory<T>(m, n), u = memory<T>(m, vectors ? columns : 1),
             v = memory<T>(rows, vectors ? n : 1);
  const auto s = memory<Real<T>>(k);
  const auto indices = memory<Int>(k, 8);
  const auto reals = memory<Real<T>>(real_work_of_svd<T>(std::max(m, n), k, vectors));
  Int info = 0;
  const auto decompose = [&](T* work, Int size) {
    const auto gesdd = lapack::functions<T>(op).gesdd;
    if constexpr (is_complex<T>)
      gesdd(job, &m, &n, a.get(), &lead, s.get(), u.get(), &lead, v.get(), &lead_of_v, work, &size,
            reals.get(), indices.get(), &info, 1);
    else
      gesdd(job, &m, &n, a.get(), &lead, s.get(), u.get(), &lead, v.get(), &lead_of_v, work, &size,
            indices.get(), &info, 1);
  };
  const auto [work, size] = work_for<T>(op, decompose);
  for (int64_t b = 0; b < in.count; ++b) {
    in.load(b, a.get(), m);
    const int64_t elements = static_cast<int64_t>(m) * n;
    VITRO_CHECK(!has_nan(a.get(), elements), op, ": the matrix contains NaN",
                of_batch(b, in.count));
    if (!is_finite(a.get(), elements)) {
      std::fill(s.get(), s.get() + k, nan);
      if (vectors) std::fill(u.get(), u.get() + static_cast<int64_t>(m) * columns, nan);
      if (vectors) std::fill(v.get(), v.get() + static_cast<int64_t>(rows) * n, nan);
    } else if (k > 0) {
      decompose(work.get(), size);
    } else if (vectors) {
      make_identity(u.get(), columns);
      make_identity(v.get(), rows);
    }
    VITRO_CHECK(info == 0, op, ": did not converge", of_batch(b, in.count));
    values.store(b, s.get(), k);
    if (!vectors) continue;
    Batch<T>(op, call.results[0], 2).store(b, u.get(), m);
    Batch<T>(op, call.results[2], 2).store(b, v.get(), rows);
  }
}

// How LAPACK finds the eigenvalues w of one symmetric matrix, with its work memory.
template <class T>
class SymmetricSolver {
 public:
  SymmetricSolver(const EighAttrs& attrs, Int n, T* a, Real<T>* w)
      : job_(attrs.compute_v ? "V" : "N"),
        triangle_(attrs.UPLO == Triangular::upper ? "U" : "L"),
        n_(n),
        lead_(at_least_1(n)),
        a_(a),
        w_(w) {
    T work{};
    Real<T> real{};
    Int index = 0;
    call(&work, -1, &real, -1, &index, -1);
    std::tie(work_, work_size_) =
        work_for<T>(LinalgEigh::name, [&](T* size, Int) { *size = work; });
    std::tie(reals_, real_size_) =
        work_for<Real<T>>(LinalgEigh::name, [&](Real<T>* size, Int) { *size = real; });
    index_count_ = at_least_1(index);
    indices_ = memory<Int>(index_count_);
  }
  // LAPACK's info.
  Int run() {
    return call(work_.get(), work_size_, reals_.get(), real_size_, indices_.get(), index_count_);
  }

 private:
  Int call(T* work, Int work_size, Real<T>* reals, Int real_size, Int* indices, Int index_count) {
    Int info = 0;
    const auto& f = lapack::functions<T>(LinalgEigh::name);
    if constexpr (is_complex<T>)
      f.heevd(job_, triangle_, &n_, a_, &lead_, w_, work, &work_size, reals, &real_size, indices,
              &index_count, &info, 1, 1);
    else
      f.syevd(job_, triangle_, &n_, a_, &lead_, w_, work, &work_size, indices, &index_count, &info,
              1, 1);
    return info;
  }
  const char *job_, *triangle_;
  Int n_, lead_, work_size_ = 1, real_size_ = 1, index_count_ = 1;
  T* a_;
  Real<T>* w_;
  std::unique_ptr<T[]> work_;
  std::unique_ptr<Real<T>[]> reals_;
  std::unique_ptr<Int[]> indices_;
};

template <class T>
void eigh_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgEigh::name;
  const auto& attrs = call.attrs.as<EighAttrs>();
  const Batch<T> in(op, call.operands[0].tensor, 2);
  const Batch<Real<T>> values(op, call.results[0], 1);
  const Int n = in.rows;
  const auto a = memory<T>(n, n);
  const auto w = memory<Real<T>>(n);
  const int64_t elements = static_cast<int64_t>(n) * n;
  constexpr Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
  SymmetricSolver<T> solver(attrs, n, a.get(), w.get());
  for (int64_t b = 0; b < in.count; ++b) {
    in.load(b, a.get(), n);
    Int info = 0;
    if (!is_finite(a.get(), elements)) {  // LAPACK need not end
      std::fill(a.get(), a.get() + elements, nan);
      std::fill(w.get(), w.get() + n, nan);
    } else if (n > 0) {
      info = solver.run();
    }
    VITRO_CHECK(info == 0, op, ": did not converge", of_batch(b, in.count));
    values.store(b, w.get(), n);
    if (attrs.compute_v) Batch<T>(op, call.results[1], 2).store(b, a.get(), n);
  }
}

// The eigenvalues and eigenvectors of one matrix a, which is overwritten, with the work memory of
// LAPACK. Real matrices have pairs of complex eigenvalues, one after the other, with the real and
// the imaginary part of the first one's vector in two columns.
template <class T>
class EigenvalueSolver {
  using Complex = std::complex<double>;

 public:
  EigenvalueSolver(Int n, bool compute_v)
      : n_(n),
        lead_(at_least_1(n)),
        job_(compute_v ? "V" : "N"),
        reals_(memory<double>(n, 2)),
        vectors_(memory<T>(n, n)),
        w(memory<Complex>(n)),
        v(memory<Complex>(n, n)) {
    std::tie(work_, size_) = work_for<T>(
        LinalgEig::name, [&](T* work, Int size) { (void)call(vectors_.get(), work, size); });
  }
  // LAPACK's info.
  Int run(T* a) {
    const Int info = call(a, work_.get(), size_);
    if constexpr (is_complex<T>) {
      std::copy_n(vectors_.get(), int64_t{n_} * n_, v.get());
    } else {
      for (Int j = 0; j < n_; ++j) w[j] = {reals_[j], reals_[n_ + j]};
      for (Int j = 0; j < n_; ++j) join_column(j);
    }
    return info;
  }

 private:
  Int call(T* a, T* work, Int size) {
    Int info = 0;
    const Int one = 1;
    const auto geev = lapack::functions<T>(LinalgEig::name).geev;
    if constexpr (is_complex<T>)
      geev("N", job_, &n_, a, &lead_, w.get(), nullptr, &one, vectors_.get(), &lead_, work, &size,
           reals_.get(), &info, 1, 1);
    else
      geev("N", job_, &n_, a, &lead_, reals_.get(), reals_.get() + n_, nullptr, &one,
           vectors_.get(), &lead_, work, &size, &info, 1, 1);
    return info;
  }
  void join_column(Int j) {
    const bool is_second = w[j].imag() < 0;
    const T* re = vectors_.get() + int64_t{j - is_second} * n_;
    for (Int i = 0; i < n_; ++i) {
      const double im = w[j].imag() == 0 ? 0 : std::real(re[n_ + i]);
      v[int64_t{j} * n_ + i] = {std::real(re[i]), is_second ? -im : im};
    }
  }
  Int n_, lead_, size_ = 1;
  const char* job_;
  std::unique_ptr<double[]> reals_;
  std::unique_ptr<T[]> vectors_, work_;

 public:
  std::unique_ptr<Complex[]> w, v;
};

template <class T>
void eig_kernel(const OpaqueCall& call) {
  using Complex = std::complex<double>;
  constexpr std::string_view op = LinalgEig::name;
  const bool compute_v = call.attrs.as<EigAttrs>().compute_v;
  const WideBatch<T> in(op, call.operands[0].tensor, 2);
  const WideBatch<Complex> values(op, call.results[0], 1);
  const Int n = in.rows();
  const auto a = memory<T>(n, n);
  EigenvalueSolver<T> solver(n, compute_v);
  for (int64_t b = 0; b < in.count(); ++b) {
    in.load(b, a.get());
    VITRO_CHECK(is_finite(a.get(), int64_t{n} * n), "linalg_eig: the matrix contains ",
                "infinities or NaN", of_batch(b, in.count()));
    const Int info = n > 0 ? solver.run(a.get()) : 0;
    VITRO_CHECK(info == 0, "linalg_eig: did not converge", of_batch(b, in.count()));
    values.store(b, solver.w.get());
    if (compute_v) WideBatch<Complex>(op, call.results[1], 2).store(b, solver.v.get());
  }
}

template <class T>
void ldl_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgLdlFactorEx::name;
  const auto& attrs = call.attrs.as<LdlAttrs>();
  const WideBatch<T> in(op, call.operands[0].tensor, 2), out(op, call.results[0], 2);
  const Batch<Int> pivots(op, call.results[1], 1), infos(op, call.results[2], 0);
  const Int n = in.rows(), lead = at_least_1(n);
  const auto a = memory<T>(n, n);
  const auto swaps = memory<Int>(n);
  const auto& f = lapack::functions<T>(op);
  auto* trf = f.sytrf;
  if constexpr (is_complex<T>) trf = attrs.hermitian ? f.hetrf : trf;
  Int info = 0;
  const auto factor = [&](T* work, Int size) {
    trf("L", &n, a.get(), &lead, swaps.get(), work, &size, &info, 1);
  };
  const auto [work, size] = work_for<T>(op, factor);
  for (int64_t b = 0; b < in.count(); ++b) {
    in.load(b, a.get());
    keep_triangle(a.get(), n, false);
    if (n > 0) factor(work.get(), size);
    VITRO_CHECK(info == 0 || !attrs.check_errors, op, ": the matrix is singular",
                of_batch(b, in.count()), ": element ", info - 1, " of the diagonal of D is 0");
    out.store(b, a.get());
    pivots.store(b, swaps.get(), n);
    infos.fill(b, info);
  }
}

// LAPACK trusts its pivots: number i is a row, from 1, or, for both rows of a block of D, negative.
void check_ldl_pivots(const Int* pivots, Int n) {
  for (Int i = 0; i < n; ++i) {
    const bool in_range = pivots[i] != 0 && -n <= pivots[i] && pivots[i] <= n;
    const bool in_block = pivots[i] > 0 || (i + 1 < n && pivots[i + 1] < 0);
    VITRO_CHECK(in_range && in_block, LinalgLdlSolve::name, ": pivot ", pivots[i], " at ", i,
                " is none that linalg_ldl_factor makes for ", n, " rows");
    if (pivots[i] < 0) ++i;
  }
}

template <class T>
void ldl_solve_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgLdlSolve::name;
  const WideBatch<T> factors(op, call.operands[0].tensor, 2), right(op, call.operands[2].tensor, 2),
      out(op, call.results[0], 2);
  const Batch<Int> pivots(op, call.operands[1].tensor, 1);
  const Int n = factors.rows(), columns = right.columns(), lead = at_least_1(n);
  const auto ld = memory<T>(n, n), x = memory<T>(n, columns);
  const auto swaps = memory<Int>(n);
  const auto& f = lapack::functions<T>(op);
  auto* trs = f.sytrs;
  if constexpr (is_complex<T>) trs = call.attrs.as<LdlSolveAttrs>().hermitian ? f.hetrs : trs;
  for (int64_t b = 0; b < out.count(); ++b) {
    factors.load(b, ld.get());
    pivots.load(b, swaps.get(), n);
    check_ldl_pivots(swaps.get(), n);
    right.load(b, x.get());
    Int info = 0;
    trs("L", &n, &columns, ld.get(), &lead, swaps.get(), x.get(), &lead, &info, 1);
    VITRO_ASSERT(info == 0);
    out.store(b, x.get());
  }
}

template <class T>
void geqrf_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = Geqrf::name;
  const WideBatch<T> in(op, call.operands[0].tensor, 2), out(op, call.results[0], 2),
      factors(op, call.results[1], 1);
  const Int m = in.rows(), n = in.columns(), k = std::min(m, n), lead = at_least_1(m);
  const auto a = memory<T>(m, n), tau = memory<T>(k);
  Int info = 0;
  const auto factor = [&](T* work, Int size) {
    lapack::functions<T>(op).geqrf(&m, &n, a.get(), &lead, tau.get(), work, &size, &info);
  };
  const auto [work, size] = work_for<T>(op, factor);
  for (int64_t b = 0; b < in.count(); ++b) {
    in.load(b, a.get());
    if (k > 0) factor(work.get(), size);
    VITRO_ASSERT(info == 0);
    out.store(b, a.get());
    factors.store(b, tau.get());
  }
}

// c = a b, of n x n matrices.
void multiply(const double* a, const double* b, double* c, int64_t n) {
  std::fill(c, c + n * n, 0.0);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t k = 0; k < n; ++k)
      for (int64_t i = 0; i < n; ++i) c[j * n + i] += a[k * n + i] * b[j * n + k];
}

// Taylor's polynomial of A / 2^s, whose norm is at most 1/4, squared s times.
void exponential(double* a, int64_t n) {
  constexpr int degree = 13;
  const int64_t count = n * n;
  double norm = 0;
  for (int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += std::abs(a[j * n + i]);
    norm = std::max(norm, sum);
  }
  if (!is_finite(a, count) || !std::isfinite(norm)) {
    std::fill(a, a + count, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const int squarings = norm == 0 ? 0 : std::max(0, std::ilogb(norm) + 3);
  for (int64_t i = 0; i < count; ++i) a[i] = std::ldexp(a[i], -squarings);
  const auto sum = memory<double>(n, n), other = memory<double>(n, n);
  make_identity(sum.get(), static_cast<Int>(n));
  double *to = other.get(), *from = sum.get();
  for (int k = degree; k > 0; --k) {  // Horner's rule: I + A / k (...)
    multiply(a, from, to, n);
    for (int64_t i = 0; i < count; ++i) to[i] /= k;
    for (int64_t i = 0; i < n; ++i) to[i * n + i] += 1;
    std::swap(to, from);
  }
  for (int k = 0; k < squarings; ++k) {
    multiply(from, from, to, n);
    std::swap(to, from);
  }
  std::copy(from, from + count, a);
}

void matrix_exp_kernel(const OpaqueCall& call) {
  constexpr std::string_view op = LinalgMatrixExp::name;
  const WideBatch<double> in(op, call.operands[0].tensor, 2), out(op, call.results[0], 2);
  const auto a = memory<double>(in.rows(), in.rows());
  for (int64_t b = 0; b < in.count(); ++b) {
    in.load(b, a.get());
    exponential(a.get(), in.rows());
    out.store(b, a.get());
  }
}

}  // namespace

void LinalgCholeskyEx::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { cholesky_kernel<T>(call); });
}
void LinalgLuFactorEx::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { lu_kernel<T>(call); });
}
void LuUnpack::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { unpack_kernel<T>(call); });
}
void LinalgLuSolve::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { lu_solve_kernel<T>(call); });
}
void LinalgSolveTriangular::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { triangular_kernel<T>(call); });
}
void LinalgQr::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { qr_kernel<T>(call); });
}
void LinalgSvd::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { svd_kernel<T>(call); });
}
void LinalgEigh::kernel(const OpaqueCall& call) {
  with_type(call, [&]<class T>() { eigh_kernel<T>(call); });
}

void LinalgLdlFactorEx::kernel(const OpaqueCall& call) {
  ldl_kernel<double>(call);
}
void LinalgLdlSolve::kernel(const OpaqueCall& call) {
  ldl_solve_kernel<double>(call);
}
void Geqrf::kernel(const OpaqueCall& call) {
  geqrf_kernel<double>(call);
}
void CholeskyOfPairs::kernel(const OpaqueCall& call) {
  with_pairs(call, [&]<class T>() { cholesky_kernel<T>(call); });
}
void LuFactorOfPairs::kernel(const OpaqueCall& call) {
  with_pairs(call, [&]<class T>() { lu_kernel<T>(call); });
}
void LuSolveOfPairs::kernel(const OpaqueCall& call) {
  with_pairs(call, [&]<class T>() { lu_solve_kernel<T>(call); });
}
void SolveTriangularOfPairs::kernel(const OpaqueCall& call) {
  with_pairs(call, [&]<class T>() { triangular_kernel<T>(call); });
}
void QrOfPairs::kernel(const OpaqueCall& call) {
  with_pairs(call, [&]<class T>() { qr_kernel<T>(call); });
}
void SvdOfPairs::kernel(const OpaqueCall& call) {
  with_pairs(call, [&]<class T>() { svd_kernel<T>(call); });
}
void EighOfPairs::kernel(const OpaqueCall& call) {
  with_pairs(call, [&]<class T>() { eigh_kernel<T>(call); });
}
void LdlFactorOfPairs::kernel(const OpaqueCall& call) {
  ldl_kernel<std::complex<double>>(call);
}
void LdlSolveOfPairs::kernel(const OpaqueCall& call) {
  ldl_solve_kernel<std::complex<double>>(call);
}
void GeqrfOfPairs::kernel(const OpaqueCall& call) {
  geqrf_kernel<std::complex<double>>(call);
}
void LinalgEig::kernel(const OpaqueCall& call) {
  call.attrs.as<Attrs>().of_pairs ? eig_kernel<std::complex<double>>(call)
                                  : eig_kernel<double>(call);
}

void LinalgMatrixExp::kernel(const OpaqueCall& call) {
  matrix_exp_kernel(call);
}

}  // namespace vitro::ops
