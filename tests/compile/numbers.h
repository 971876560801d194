// Tensors of numbers and indices for the tests of this folder.
#pragma once

#include "vitro/ops/all.h"

namespace vitro::test {

inline Tensor numbers(const Sizes& sizes, DType dtype = DType::f32) {
  Size count = 1;
  for (const Size size : sizes) count = count * size;
  return reshape(to(sin(to(arange(count.value()), DType::f64) * 1.7) * 9, dtype), sizes);
}

// Integers in [first, first + count), some more than once.
inline Tensor repeated_indices(const Sizes& sizes, int64_t first, int64_t count, DType dtype) {
  Size all = 1;
  for (const Size size : sizes) all = all * size;
  return reshape(to(remainder(arange(all.value()) * 7 + 3, count) + first, dtype), sizes);
}

}  // namespace vitro::test
