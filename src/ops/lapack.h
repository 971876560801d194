// The functions of LAPACK and BLAS that kernels call, loaded on the first use. Matrices are
// column-major; integers have 32 bits; characters are followed by their lengths at the end of the
// arguments, as Fortran's compilers pass them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace vitro::ops::lapack {

using Int = int32_t;
using Length = size_t;

template <class T>
struct RealOf {
  using Type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <class T>
using Real = typename RealOf<T>::Type;
template <class T>
inline constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

// The same for all types, but for their names: orgqr is ungqr for complex numbers.
template <class T>
struct SharedFunctions {
  void (*getrf)(const Int* m, const Int* n, T* a, const Int* lda, Int* pivots, Int* info);
  void (*getrs)(const char* trans, const Int* n, const Int* columns, const T* a, const Int* lda,
                const Int* pivots, T* b, const Int* ldb, Int* info, Length);
  void (*potrf)(const char* uplo, const Int* n, T* a, const Int* lda, Int* info, Length);
  void (*geqrf)(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work, const Int* lwork,
                Int* info);
  void (*orgqr)(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* tau,
                T* work, const Int* lwork, Int* info);
  using Factor = void(const char* uplo, const Int* n, T* a, const Int* lda, Int* pivots, T* work,
                      const Int* lwork, Int* info, Length);
  using Solve = void(const char* uplo, const Int* n, const Int* columns, const T* a, const Int* lda,
                     const Int* pivots, T* b, const Int* ldb, Int* info, Length);
  Factor* sytrf;
  Solve* sytrs;
  void (*trsm)(const char* side, const char* uplo, const char* trans, const char* diag,
               const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda, T* b,
               const Int* ldb, Length, Length, Length, Length);
};

template <class T>
struct Functions : SharedFunctions<T> {
  void (*gesdd)(const char* job, const Int* m, const Int* n, T* a, const Int* lda, T* s, T* u,
                const Int* ldu, T* vt, const Int* ldvt, T* work, const Int* lwork, Int* iwork,
                Int* info, Length);
  void (*syevd)(const char* job, const char* uplo, const Int* n, T* a, const Int* lda, T* values,
                T* work, const Int* lwork, Int* iwork, const Int* liwork, Int* info, Length,
                Length);
  void (*geev)(const char* left, const char* right, const Int* n, T* a, const Int* lda, T* re,
               T* im, T* vl, const Int* ldvl, T* vr, const Int* ldvr, T* work, const Int* lwork,
               Int* info, Length, Length);
};

// Those of complex numbers also take memory for real ones.
template <class R>
struct Functions<std::complex<R>> : SharedFunctions<std::complex<R>> {
  using T = std::complex<R>;
  void (*gesdd)(const char* job, const Int* m, const Int* n, T* a, const Int* lda, R* s, T* u,
                const Int* ldu, T* vt, const Int* ldvt, T* work, const Int* lwork, R* rwork,
                Int* iwork, Int* info, Length);
  void (*heevd)(const char* job, const char* uplo, const Int* n, T* a, const Int* lda, R* values,
                T* work, const Int* lwork, R* rwork, const Int* lrwork, Int* iwork,
                const Int* liwork, Int* info, Length, Length);
  void (*geev)(const char* left, const char* right, const Int* n, T* a, const Int* lda, T* values,
               T* vl, const Int* ldvl, T* vr, const Int* ldvr, T* work, const Int* lwork, R* rwork,
               Int* info, Length, Length);
  typename SharedFunctions<T>::Factor* hetrf;
  typename SharedFunctions<T>::Solve* hetrs;
};

// For float and double, and complex ones of both. Error naming `op` if there is no LAPACK. Threads:
// any.
template <class T>
const Functions<T>& functions(std::string_view op);

}  // namespace vitro::ops::lapack
