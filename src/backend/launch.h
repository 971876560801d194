// What generated kernels and the host agree on; the text of codegen/source.cpp says the same.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/product.h"

namespace vitro::backend {

// The first mistake in the data that a kernel found: number of the check + 1, 0 while there is
// none.
struct ErrorSlot {
  int64_t check = 0, index = 0, bound = 0;
};

struct KernelArgs {
  void* const* buffers;
  const int64_t* sizes;
  const uint64_t* numbers;  // bits of doubles, int64s and bools
  ErrorSlot* error;
  int64_t threads;
  uint64_t streams;                  // bit b: buffer b is written past the caches
  const kernels::Product* products;  // of f32, f64, f16, bf16
  std::byte* scratch;                // of the thread, for rows that are not local
};

// Runs tasks begin to before end.
using KernelFunction = void (*)(const KernelArgs*, int64_t begin, int64_t end);

}  // namespace vitro::backend
