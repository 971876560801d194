// The arguments of a generated kernel, for its own text, which contains this part, and for the host
// that launches it.
//   extern "C" void kernel(const KernelArgs* args, i64 begin, i64 end);     // tasks [begin, end)
#pragma once
#include "kernels/product.h"

namespace vitro::kernels {

// The first error in the data that a kernel found: number of the check + 1, 0 for none.
struct ErrorSlot {
  long check = 0, index = 0, bound = 0;
};

struct KernelArgs {
  void* const* buffers;
  const long* sizes;
  const unsigned long* numbers;  // bits of doubles, integers and bools
  ErrorSlot* error;
  long threads;
  unsigned long streams;    // bit b: buffer b is written past the caches
  const Product* products;  // of f32, f64, f16, bf16
  char* scratch;            // of the thread, for rows that are not local
};

// Runs tasks [begin, end).
using KernelFunction = void (*)(const KernelArgs*, long begin, long end);

}  // namespace vitro::kernels
