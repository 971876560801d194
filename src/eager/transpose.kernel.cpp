// Copies that turn a matrix over, in tiles of 16 by 16.
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

}  // namespace

void fill_transpose(KernelTable& table) {
  table.transpose[0] = &transpose<k::i8>;
  table.transpose[1] = &transpose<k::i16>;
  table.transpose[2] = &transpose<k::i32>;
  table.transpose[3] = &transpose<k::i64>;
}

}  // namespace vitro::eager::inline VITRO_ISA
