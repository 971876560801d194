// The elements and bytes that sizes and strides cover.  Computed only here, with overflow checks:
// whatever the sizes, an allocation is never smaller than what is written to it.
//   const int64_t bytes = bytes_for("cat", sizes, DType::f32);
// Threads: any.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vitro/core/dtype.h"
#include "vitro/core/tensor.h"

namespace vitro {

// The product of the sizes, 0 if one is 0.  Error naming `op` if a size is negative or the product
// overflows 64 bits.
int64_t count_of(std::span<const int64_t> sizes, std::string_view op = "sizes");
// The bytes of that many contiguous elements; the same Errors.
int64_t bytes_for(std::string_view op, std::span<const int64_t> sizes, DType dtype);
// Checks that a tensor can have the sizes of this result of `op`, symbolic ones by their hints; the
// same Errors.
void check_sizes(std::string_view op, const TensorMeta& result);

// The strides of contiguous elements in row-major order; a size of 0 counts as 1.
Ints contiguous_strides(std::string_view op, std::span<const int64_t> sizes);

// The bytes of a storage that elements occupy, [begin, end), including gaps between them.  Both are
// 0 if there are no elements.
struct Reach {
  int64_t begin = 0, end = 0;
};
Reach reach_of(std::string_view op, DType dtype, std::span<const int64_t> sizes,
               std::span<const int64_t> strides, int64_t offset = 0);
inline Reach reach_of(const TensorImpl& t) {
  return reach_of("tensor", t.dtype, t.sizes, t.strides, t.offset);
}
// Whether their reaches overlap, so that a write to one may change the other.  Neither may be
// deferred.
inline bool may_share_memory(const TensorImpl& a, const TensorImpl& b) {
  if (!(a.storage == b.storage)) return false;
  const Reach x = reach_of(a), y = reach_of(b);
  return x.begin < y.end && y.begin < x.end;
}

// The same for tensors that may be deferred, in a compiled function. Asks about their sizes, so
// that the answer holds for all calls that give the same answers; yes if a size depends on data.
bool may_share_memory(const Tensor& a, const Tensor& b);

}  // namespace vitro
