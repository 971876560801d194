// The functions of LAPACK and BLAS that kernels call, loaded on the first use. Matrices are
// column-major; integers have 32 bits; characters are followed by their lengths at the end of the
// arguments, as Fortran's compilers pass them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vitro::ops::lapack {

using Int = int32_t;
using Length = size_t;

template <class T>
struct Functions {
  void (*getrf)(const Int* m, const Int* n, T* a, const Int* lda, Int* pivots, Int* info);
  void (*getrs)(const char* trans, const Int* n, const Int* columns, const T* a, const Int* lda,
                const Int* pivots, T* b, const Int* ldb, Int* info, Length);
  void (*potrf)(const char* uplo, const Int* n, T* a, const Int* lda, Int* info, Length);
  void (*geqrf)(const Int* m, const Int* n, T* a, const Int* lda, T* tau, T* work, const Int* lwork,
                Int* info);
  void (*orgqr)(const Int* m, const Int* n, const Int* k, T* a, const Int* lda, const T* tau,
                T* work, const Int* lwork, Int* info);
  void (*gesdd)(const char* job, const Int* m, const Int* n, T* a, const Int* lda, T* s, T* u,
                const Int* ldu, T* vt, const Int* ldvt, T* work, const Int* lwork, Int* iwork,
                Int* info, Length);
  void (*syevd)(const char* job, const char* uplo, const Int* n, T* a, const Int* lda, T* values,
                T* work, const Int* lwork, Int* iwork, const Int* liwork, Int* info, Length,
                Length);
  void (*sytrf)(const char* uplo, const Int* n, T* a, const Int* lda, Int* pivots, T* work,
                const Int* lwork, Int* info, Length);
  void (*sytrs)(const char* uplo, const Int* n, const Int* columns, const T* a, const Int* lda,
                const Int* pivots, T* b, const Int* ldb, Int* info, Length);
  void (*trsm)(const char* side, const char* uplo, const char* trans, const char* diag,
               const Int* m, const Int* n, const T* alpha, const T* a, const Int* lda, T* b,
               const Int* ldb, Length, Length, Length, Length);
};

// For float and double. Error naming `op` if there is no LAPACK. Threads: any.
template <class T>
const Functions<T>& functions(std::string_view op);

}  // namespace vitro::ops::lapack
