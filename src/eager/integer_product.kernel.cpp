// Matrix products of integers.
#include "eager/kernel_table.h"
#include "kernels/memory.h"

namespace vitro::eager::inline VITRO_ISA {
namespace {

namespace k = vitro::kernels;
using k::i64;

void integer_matmul(const MatmulShape& s, const i64* a, i64 row_stride, i64 k_stride, const i64* b,
                    i64 b_row_stride, i64* c) {
  for (i64 row = 0; row < s.m; ++row) {
    for (i64 column = 0; column < s.n; column += 16) {
      k::Vec<i64> sum = k::splat(i64(0));
      for (i64 p = 0; p < s.k; ++p) {
        sum += k::splat(a[row * row_stride + p * k_stride]) *
               k::load(b + p * b_row_stride + column, s.n - column);
      }
      k::store(c + row * s.n + column, sum, s.n - column);
    }
  }
}

}  // namespace

void fill_integer_product(KernelTable& table) {
  table.integer_matmul = &integer_matmul;
}

}  // namespace vitro::eager::inline VITRO_ISA
