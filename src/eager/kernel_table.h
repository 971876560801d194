// What the compiled-ahead kernels offer and what they are given; plain C++ for both sides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vitro::eager {

// The types that are computed in: f16 and bf16 in f32, integers of up to 32 bits in i32.
enum class Compute : uint8_t { f32, f64, i32, i64, boolean };
inline constexpr int compute_count = 5, storage_count = 10;

// `rows` runs of `n` elements.  An operand that walks (all bits) is dense along a run; one that
// does not (0) is the same for a whole run: sixteen equal elements of the type that is computed in,
// or where it steps, one element for each run.
struct PointwiseArgs {
  const void* in[4];
  int64_t walks[4];
  int64_t steps[4];  // bytes from run to run
  void* out;
  int64_t out_step;
  int64_t n, rows;
  const void* attrs;
  const int64_t* index;  // of the run's first element in the result's dimensions; the run lies
  int rank;              // along the last
};
struct PointwiseKernel {
  // On elements of the type that is computed in; null: not defined for it.
  void (*run)(const PointwiseArgs&) = nullptr;
  // On elements of f16 or bf16 that are computed in f32; null: convert them first.
  void (*run_f16)(const PointwiseArgs&) = nullptr;
  void (*run_bf16)(const PointwiseArgs&) = nullptr;
  bool gives_truth = false;  // the result is bool
};

// A state is the tuple of sixteen lanes of a reduction; `parts` are states of blocks, folded in
// order as kernels/reduce.h says (where nothing is rounded: one state that takes all blocks, made
// by `init`).  Several reductions lie side by side: part l of the first is state l * width.
inline constexpr int64_t most_state_bytes = 256;
struct ReductionKernel {
  int64_t state_bytes = 0;
  Compute result = Compute::f32;
  bool rounds = false;
  void (*init)(void* state, int64_t count) = nullptr;  // `count` states
  // Element i of x goes to lane i % 16 with number index + i; its first block is block `number`.
  void (*row)(const void* x, int64_t n, int64_t index, void* parts, int64_t number) = nullptr;
  // Column j goes to lane j % 16 of reduction j / 16 of `width`; row r with number index + r *
  // index_step.  No rows are one block of nothing.
  void (*columns)(const void* x, int64_t row_stride, int64_t rows, int64_t columns, int64_t index,
                  int64_t index_step, void* parts, int64_t width, int64_t number) = nullptr;
  // States of later elements, which count as block `number`.
  void (*add)(const void* states, void* parts, int64_t width, int64_t number) = nullptr;
  // All `count` blocks as one state each, in `parts`.
  void (*total)(void* parts, int64_t width, int64_t count) = nullptr;
  void (*merge)(void* into, const void* from, int64_t count) = nullptr;  // `count` states
  void (*merge_lanes)(void* state) = nullptr;                            // into lane 0
  void (*finish)(const void* states, int64_t elements, void* out, int64_t count) = nullptr;
  // Rows of n > 0 elements, row_stride apart: all of the above, a result each.
  void (*rows)(const void* x, int64_t row_stride, int64_t rows, int64_t n, void* out) = nullptr;
};

// One row of `n` elements; what an operand or result that is not there has is null.  Or up to
// sixteen rows side by side, `columns` of them, whose elements lie `step` apart.
struct RowArgs {
  static constexpr size_t most = 4;
  const float* in[most];
  float* out[most];
  int64_t n;
  const void* attrs;
  int64_t step = 1, columns = 1;
};

struct MatmulShape {
  int64_t m, n, k;
};

struct KernelTable {
  static constexpr int most_ops = 96;
  // By place in ops::PointwiseAhead, ops::PointwisePrograms after them, and ops::ReductionAhead,
  // and by the type that is computed in.
  PointwiseKernel pointwise[most_ops][compute_count];
  ReductionKernel reduction[16][compute_count];
  // By DType: `n` elements, both sides dense.
  void (*cast[storage_count][storage_count])(const void* from, void* to, int64_t n);
  // By log2 of the element's bytes: `n` times the element at `word`.
  void (*repeat[4])(const void* word, void* to, int64_t n);
  // The same: `rows` rows of `n` elements, from_step and to_step bytes apart.
  void (*copy_rows[4])(const void* from, int64_t from_step, void* to, int64_t to_step, int64_t n,
                       int64_t rows);
  // `bytes` bytes past the caches (runtime::should_stream); other threads see them after
  // end_streams().
  void (*stream)(const void* from, void* to, int64_t bytes);
  void (*end_streams)();
  // By log2 of the element's bytes: to[j][i] = from[i][j] for i < rows, j < columns; rows of `from`
  // and of `to` are contiguous and lie from_stride and to_stride elements apart.
  void (*transpose[4])(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                       int64_t rows, int64_t columns);
  // Whether `n` indices are all in [0, size).
  bool (*within)(const int64_t* index, int64_t n, int64_t size);
  // By log2 of the element's bytes: to[i] = from[index[i]] for i < n.
  void (*pick[4])(const void* from, const int64_t* index, void* to, int64_t n);
  // By place in ops::RowPrograms: a row, rows side by side (null: the program has no such form).
  void (*row[4])(const RowArgs&);
  void (*columns[4])(const RowArgs&);
  // c = a * b for integers (i64), c dense; strides count elements.
  void (*integer_matmul)(const MatmulShape& shape, const int64_t* a, int64_t row_stride,
                         int64_t k_stride, const int64_t* b, int64_t b_row_stride, int64_t* c);
};

// The table for this machine.
const KernelTable& kernel_table();

}  // namespace vitro::eager
