// How many elements and bytes sizes and strides ask for.  Computed here alone, and checked:
// whatever sizes a request names, memory is never smaller than what is written to it.
//   const int64_t bytes = bytes_for("cat", sizes, DType::f32);
// Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vitro/core/dtype.h"
#include "vitro/core/tensor.h"

namespace vitro {

// The product of the sizes, 0 where one is 0.  Error naming `op` where a size is negative or the
// product leaves 64 bits.
int64_t count_of(std::span<const int64_t> sizes, std::string_view op = "sizes");
// Bytes that so many elements take side by side; the same Errors.
int64_t bytes_for(std::string_view op, std::span<const int64_t> sizes, DType dtype);
// A result of `op` has sizes that a tensor can have; symbolic ones count as in this run.
void check_sizes(std::string_view op, const TensorMeta& result);

// Strides of elements side by side, in row-major order; a size of 0 counts as 1.
Ints contiguous_strides(std::string_view op, std::span<const int64_t> sizes);

// The bytes of a storage that elements lie in: from the first of all to behind the last of all.
// Both 0 where there are none.
struct Reach {
  int64_t begin = 0, end = 0;
};
Reach reach_of(std::string_view op, DType dtype, std::span<const int64_t> sizes,
               std::span<const int64_t> strides, int64_t offset = 0);
inline Reach reach_of(const TensorImpl& t) {
  return reach_of("tensor", t.dtype, t.sizes, t.strides, t.offset);
}
// Whether their reaches have bytes in common: a write into one may change the other.  Neither is
// deferred.
inline bool may_share_memory(const TensorImpl& a, const TensorImpl& b) {
  if (!(a.storage == b.storage)) return false;
  const Reach x = reach_of(a), y = reach_of(b);
  return x.begin < y.end && y.begin < x.end;
}

}  // namespace vitro
