// What generated kernels and the host agree on; the text of codegen/source.cpp says the same.
#pragma once

#include <cstdint>

namespace vitro::backend {

// The first mistake in the data that a kernel found: number of the check + 1, 0 while there is
// none.
struct ErrorSlot {
  int64_t check = 0, index = 0, bound = 0;
};

// Packing of a product's right operand, compiled ahead: its text would cost the compiler as much as
// the product's (kernels/matmul_table.h says what the functions do).
struct Packing {
  int64_t (*packed_size)(int64_t k, int64_t n);
  int64_t (*panel_count)(int64_t n);
  void (*pack)(const void* b, int64_t row_stride, int64_t column_stride, int64_t k, int64_t n,
               void* packed, int64_t begin, int64_t end);
};

struct KernelArgs {
  void* const* buffers;
  const int64_t* sizes;
  const uint64_t* numbers;  // bits of doubles, int64s and bools
  ErrorSlot* error;
  int64_t threads;
  const Packing* packing;  // of f32, f64, f16, bf16
};

// Runs tasks begin to before end.
using KernelFunction = void (*)(const KernelArgs*, int64_t begin, int64_t end);
// How many tasks there are.
using TaskCount = int64_t (*)(const KernelArgs*);

}  // namespace vitro::backend
