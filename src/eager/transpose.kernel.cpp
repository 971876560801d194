// Copies that turn a matrix over, in tiles of 16 by 16.
#include "kernels/transpose.h"

#include "eager/kernel_table.h"
#include "kernels/memory.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

namespace k = vitro::kernels;
using k::i64;

template <class T>
void transpose(const void* from_memory, i64 from_stride, void* to_memory, i64 to_stride, i64 rows,
               i64 columns) {
  const T* from = static_cast<const T*>(from_memory);
  T* to = static_cast<T*>(to_memory);
  for (i64 j = 0; j < columns; j += 16) {
    for (i64 i = 0; i < rows; i += 16) {
      k::Vec<T> v[16];
      const i64 high = rows - i < 16 ? rows - i : 16, wide = columns - j < 16 ? columns - j : 16;
      if (high == 16 && wide == 16) {
#pragma clang loop unroll(full)
        for (int r = 0; r < 16; ++r) v[r] = k::load(from + (i + r) * from_stride + j);
        k::transpose(v);
#pragma clang loop unroll(full)
        for (int c = 0; c < 16; ++c) k::store(to + (j + c) * to_stride + i, v[c]);
        continue;
      }
      for (i64 r = 0; r < high; ++r) {
        for (i64 c = 0; c < wide; ++c)
          to[(j + c) * to_stride + i + r] = from[(i + r) * from_stride + j + c];
      }
    }
  }
}

}  // namespace

void fill_transpose(KernelTable& table) {
  table.transpose[0] = &transpose<k::i8>;
  table.transpose[1] = &transpose<k::i16>;
  table.transpose[2] = &transpose<k::i32>;
  table.transpose[3] = &transpose<k::i64>;
}

}  // namespace vitro::eager::inline VITRO_ISA
