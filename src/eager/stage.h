// Converts runs of elements to the form that kernels take (contiguous, one dtype) and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eager/kernel_table.h"
#include "vitro/core/dtype.h"
#include "vitro/core/scalar.h"

namespace vitro::eager {

inline constexpr int64_t block = 512;  // elements staged at a time
struct alignas(64) Buffer {
  std::byte bytes[block * 8];
};

// Calls f<Word>() with the unsigned integer type of `size` bytes.
template <class F>
void with_word(int64_t size, F&& f) {
  switch (size) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    default:
      return f.template operator()<uint64_t>();
  }
}

// The compute type of a dtype, and the dtype in which values of a compute type are stored.
Compute compute_for(DType dtype);
DType storage_of(Compute compute);

// Copies n elements of `size` bytes from strided to contiguous memory, and back.
void gather_run(const std::byte* from, int64_t stride, std::byte* to, int64_t size, int64_t n);
void scatter_run(const std::byte* from, std::byte* to, int64_t stride, int64_t size, int64_t n);
// Writes n copies of the element at `from`.
void repeat(const std::byte* from, std::byte* to, int64_t size, int64_t n);
void cast(DType from_type, const std::byte* from, DType to_type, std::byte* to, int64_t n);

// The conversion of an operand from its dtype to that of the compute type, rounding to `common` in
// between.
struct Conversion {
  DType from, common, to;
  bool none() const { return from == to; }
  // At most `block` elements.
  void run(const std::byte* in, std::byte* out, int64_t n) const;
};

// Stores the number as one element of dtype `to`, rounded to `common` first.
void store_number(const Scalar& number, DType common, DType to, std::byte* out);

}  // namespace vitro::eager
