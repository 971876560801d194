// Matrix products compiled ahead, for host code: one table per element type, that of the best
// instruction set of this machine.
//   const MatmulKernels& f = matmul_kernels(MatmulType::f32);
//   std::vector<float> packed(f.packed_size(k, n));
//   f.pack(b, ldb, 1, k, n, packed.data(), 0, f.panel_count(n));                  // any split of
//   the panels, by any threads MatmulCall call{m, n, k, a, lda, 1, packed.data(), c, ldc, nullptr,
//   threads}; for (int64_t t = 0; t < f.task_count(call); ++t) f.run(call, t, t + 1);       // any
//   split of the tasks, by any threads
// The bits of C do not depend on the machine, the split or the threads (matmul.h).
// Thread safety: everything here may be called from any thread.
#pragma once

#include <cstdint>

namespace vitro::kernels {

// Of A, B, C and the bias.  f16 and bf16 are added up in f32 and rounded once at the end.
enum class MatmulType { f32, f64, f16, bf16 };

struct MatmulCall {
  int64_t m, n, k;
  const void* a;  // element (i, p) stands at a[i * a_row_stride + p * a_column_stride]
  int64_t a_row_stride, a_column_stride;  // in elements
  const void* packed;                     // B, as pack() left it
  void* c;
  int64_t c_row_stride;
  const void*
      bias;         // n elements that are added to each row, in the type of the sums; null for none
  int64_t threads;  // how many will share the tasks
};

struct MatmulKernels {
  int64_t (*packed_size)(int64_t k, int64_t n);  // in elements
  int64_t (*panel_count)(int64_t n);
  // Packs panels [begin, end) of B, whose element (p, j) stands at b[p * row_stride + j *
  // column_stride].
  void (*pack)(const void* b, int64_t row_stride, int64_t column_stride, int64_t k, int64_t n,
               void* packed, int64_t begin, int64_t end);
  int64_t (*task_count)(const MatmulCall&);
  void (*run)(const MatmulCall&, int64_t begin, int64_t end);
};

const MatmulKernels& matmul_kernels(MatmulType type);

}  // namespace vitro::kernels

// One table per instruction set, each for the four types; use matmul_kernels().
namespace vitro::kernels_ahead {
namespace baseline {
extern const kernels::MatmulKernels matmul_table[4];
}
namespace avx2 {
extern const kernels::MatmulKernels matmul_table[4];
}
namespace avx512 {
extern const kernels::MatmulKernels matmul_table[4];
}
}  // namespace vitro::kernels_ahead
