// Copies of words: of one many times, and those that turn a matrix over, in tiles of 16 by 16.
#include "kernels/transpose.h"

#include "eager/kernel_table.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

namespace k = vitro::kernels;
using k::i64;

template <class T>
void transpose(const void* from, i64 from_stride, void* to, i64 to_stride, i64 rows, i64 columns) {
  k::transpose_block(static_cast<const T*>(from), from_stride, static_cast<T*>(to), to_stride, rows,
                     columns);
}

template <class T>
void repeat(const void* word, void* to, i64 n) {
  const k::Vec<T> all = k::splat(*static_cast<const T*>(word));
  T* out = static_cast<T*>(to);
  i64 i = 0;
  for (; i + 16 <= n; i += 16) k::store(out + i, all);
  if (i < n) k::store(out + i, all, n - i);
}

}  // namespace

void fill_copy(KernelTable& table) {
  table.repeat[0] = &repeat<k::i8>;
  table.repeat[1] = &repeat<k::i16>;
  table.repeat[2] = &repeat<k::i32>;
  table.repeat[3] = &repeat<k::i64>;
  table.transpose[0] = &transpose<k::i8>;
  table.transpose[1] = &transpose<k::i16>;
  table.transpose[2] = &transpose<k::i32>;
  table.transpose[3] = &transpose<k::i64>;
}

}  // namespace vitro::eager::inline VITRO_ISA
