// The products (product.h) for this machine's best instruction set, for host code.
//   const MatmulKernels& f = matmul_kernels(MatmulType::f32);
//   std::vector<float> packed(f.packed_size(k, n));
//   f.pack(b, ldb, 1, k, n, packed.data(), 0, f.panel_count(n));   // any split, by any threads
//   MatmulCall call{m, n, k, a, lda, 1, packed.data(), c, ldc, nullptr, threads};
//   const long tasks = f.cut(m, n, k, threads).count;
//   for (long t = 0; t < tasks; ++t) f.run(call, t, t + 1);        // any split, by any threads
// The bits of C do not depend on the machine, the split or the threads.
// Thread safety: everything here may be called from any thread.
#pragma once

#include <cstdint>

#include "kernels/product.h"

namespace vitro::kernels {

// Of A, B, C; in the order of the tables. f16 and bf16 are accumulated in f32 and rounded once.
enum class MatmulType { f32, f64, f16, bf16 };

// C = A * B + bias.
struct MatmulCall {
  int64_t m, n, k;
  const void* a;  // element (i, p) is at a[i * a_row_stride + p * a_column_stride]
  int64_t a_row_stride, a_column_stride;  // in elements
  const void* b;                          // as packed by pack()
  void* c;
  int64_t c_row_stride;
  const void* bias;  // n elements in the type of the sums, added to each row; null: none
  int64_t threads;   // number of threads that share the tasks
  // f32, f64: if not 0, B is a plain matrix with this row stride, and A has a stride of 1.
  int64_t b_row_stride = 0;
};

// Positions of one line for sixteen channels: adds the products of column 0 of B and an element of
// each of some windows to sums.
struct DepthwiseWeightsRun {
  const void *x, *b;  // of the first position
  void* sums;
  const long *from, *to;  // of each tap, in elements: from x, and from `sums`
  long count, x_step, b_step;
  long left;  // channels
};
struct DepthwiseWeightsTile {
  long taps = 0;  // the most of a run
  void (*run)(const DepthwiseWeightsRun& run) = nullptr;
};
// Product::multiply_depthwise_weights() of elements of `bytes` bytes.
void multiply_depthwise_weights(const ProductCall& call, long bytes,
                                const DepthwiseWeightsTile& tile);

struct MatmulKernels : Product {
  // Runs blocks [begin, end) of the cut (cut_plain for a plain B) for `call.threads`.
  void (*run)(const MatmulCall& call, long begin, long end);
  // For multiply_depthwise_weights(), which is the same for all instruction sets but for this.
  DepthwiseWeightsTile depthwise_weights;
};

const MatmulKernels& matmul_kernels(MatmulType type);
// The products of the four types and product_bf16x6, as generated kernels use them.
const Product* products();

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
extern const kernels::Product bf16x6_product;
}  // namespace avx512
}  // namespace vitro::kernels_ahead
