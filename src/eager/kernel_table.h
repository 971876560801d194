// The table of kernels compiled ahead and their arguments: plain C++, for kernels and drivers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vitro::eager {

// The compute types: f16 and bf16 are computed in f32, integers of up to 32 bits in i32.
enum class Compute : uint8_t { f32, f64, i32, i64, boolean };
inline constexpr int compute_count = 5, storage_count = 10;

// `rows` runs of `n` elements.  An operand that walks (all bits set) is contiguous along a run; one
// that does not (0) is constant along it: sixteen equal elements of the compute type, or if its
// step is not 0, one element per run.
struct PointwiseArgs {
  const void* in[4];
  int64_t walks[4];
  int64_t steps[4];  // bytes from run to run
  void* out;
  int64_t out_step;
  int64_t n, rows;
  const void* attrs;
  const int64_t* index;  // of the run's first element, per dimension of the result; the run is
  int rank;              // along the last dimension
};
struct PointwiseKernel {
  // For elements of the compute type; null: the op is not defined for it.
  void (*run)(const PointwiseArgs&) = nullptr;
  // For f16 or bf16 elements, computed in f32; null: convert them first.
  void (*run_f16)(const PointwiseArgs&) = nullptr;
  void (*run_bf16)(const PointwiseArgs&) = nullptr;
  bool gives_truth = false;  // the result is bool, whatever the compute type
};

// A state is the tuple of sixteen lanes of a reduction.  `parts` are the partial states of blocks,
// folded in the order of kernels/reduce.h; if `rounds` is false, one state from `init` that takes
// all blocks.  `width` reductions are interleaved: part l of the first is state l * width.
inline constexpr int64_t most_state_bytes = 256;
struct ReductionKernel {
  int64_t state_bytes = 0;
  Compute result = Compute::f32;
  bool rounds = false;
  void (*init)(void* state, int64_t count) = nullptr;  // `count` states
  // Element i of x goes to lane i % 16 and has index `index + i`; `number` is its first block.
  void (*row)(const void* x, int64_t n, int64_t index, void* parts, int64_t number) = nullptr;
  // Column j goes to lane j % 16 of reduction j / 16 of `width`; row r has index `index + r *
  // index_step`.  Zero rows count as one empty block.
  void (*columns)(const void* x, int64_t row_stride, int64_t rows, int64_t columns, int64_t index,
                  int64_t index_step, void* parts, int64_t width, int64_t number) = nullptr;
  // Adds `width` states of later elements, as block `number`.
  void (*add)(const void* states, void* parts, int64_t width, int64_t number) = nullptr;
  // Combines all `count` blocks into one state per reduction, at the start of `parts`.
  void (*total)(void* parts, int64_t width, int64_t count) = nullptr;
  void (*merge)(void* into, const void* from, int64_t count) = nullptr;  // `count` states
  void (*merge_lanes)(void* state) = nullptr;                            // into lane 0
  void (*finish)(const void* states, int64_t elements, void* out, int64_t count) = nullptr;
  // The whole reduction of each row of n > 0 elements, `row_stride` apart, to one result per row.
  void (*rows)(const void* x, int64_t row_stride, int64_t rows, int64_t n, void* out) = nullptr;
};

// One row of `n` elements; missing operands and results are null.  Or `columns` <= 16 adjacent
// rows, whose elements are `step` apart.
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
  // By position in ops::PointwiseAhead followed by ops::PointwisePrograms, or in
  // ops::ReductionAhead, and by compute type.
  PointwiseKernel pointwise[most_ops][compute_count];
  ReductionKernel reduction[16][compute_count];
  // By DType: `n` elements, both sides contiguous.
  void (*cast[storage_count][storage_count])(const void* from, void* to, int64_t n);
  // By log2 of the element's bytes: writes `n` copies of the element at `word`.
  void (*repeat[4])(const void* word, void* to, int64_t n);
  // By log2 of the element's bytes: `rows` rows of `n` elements, from_step and to_step bytes apart.
  void (*copy_rows[4])(const void* from, int64_t from_step, void* to, int64_t to_step, int64_t n,
                       int64_t rows);
  // Copies past the caches (runtime::should_stream); other threads see the data after
  // end_streams().
  void (*stream)(const void* from, void* to, int64_t bytes);
  void (*end_streams)();
  // By log2 of the element's bytes: to[j][i] = from[i][j] for i < rows, j < columns; rows of `from`
  // and of `to` are contiguous, from_stride and to_stride elements apart.
  void (*transpose[4])(const void* from, int64_t from_stride, void* to, int64_t to_stride,
                       int64_t rows, int64_t columns);
  // Whether `n` indices are all in [0, size).
  bool (*within)(const int64_t* index, int64_t n, int64_t size);
  // By log2 of the element's bytes: to[i] = from[index[i]] for i < n.
  void (*gather[4])(const void* from, const int64_t* index, void* to, int64_t n);
  // By position in ops::RowPrograms: for one row, and for adjacent rows (null: not available).
  void (*row[4])(const RowArgs&);
  void (*columns[4])(const RowArgs&);
  // c = a * b for i64, c contiguous; strides in elements.
  void (*integer_matmul)(const MatmulShape& shape, const int64_t* a, int64_t row_stride,
                         int64_t k_stride, const int64_t* b, int64_t b_row_stride, int64_t* c);
};

// The table for this machine.
const KernelTable& kernel_table();

}  // namespace vitro::eager
