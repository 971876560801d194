// Brings runs of elements into the form that kernels take (dense, of one dtype) and back.
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

// Calls f<Word>() with the unsigned integer of that many bytes.
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

// What is computed in for a dtype, and how its values are stored.
Compute compute_for(DType dtype);
DType storage_of(Compute compute);

// n elements of `size` bytes between strided and dense memory.
void gather_run(const std::byte* from, int64_t stride, std::byte* to, int64_t size, int64_t n);
void scatter_run(const std::byte* from, std::byte* to, int64_t stride, int64_t size, int64_t n);
// The element at `from` n times.
void repeat(const std::byte* from, std::byte* to, int64_t size, int64_t n);
void cast(DType from_type, const std::byte* from, DType to_type, std::byte* to, int64_t n);

// How an operand gets from its dtype to what is computed in: rounded to `common` on the way.
struct Conversion {
  DType from, common, to;
  bool none() const { return from == to; }
  // At most `block` elements.
  void run(const std::byte* in, std::byte* out, int64_t n) const;
};

// The number as one element of `to`, rounded to `common` on the way.
void store_number(const Scalar& number, DType common, DType to, std::byte* out);

}  // namespace vitro::eager
