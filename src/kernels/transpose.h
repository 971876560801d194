// Transposes as many vectors as they have lanes: lane j of vector i goes to lane i of vector j.
#pragma once
#include "kernels/memory.h"

namespace vitro::kernels::inline VITRO_ISA {

// Whether sixteen vectors are worth transposing in registers: without AVX2 there are too few.
#if defined(__AVX2__)
inline constexpr bool transposes_in_registers = true;
#else
inline constexpr bool transposes_in_registers = false;
#endif

template <class, int... lane>
struct LaneList {};

// Blocks of `step` lanes: swaps the second of `a` with the first of `b`.
template <int step, class V, int... lane>
VITRO_INLINE void swap_blocks(V& a, V& b, LaneList<int, lane...>) {
  constexpr int lanes = sizeof...(lane);
  V first = __builtin_shufflevector(a, b, (lane & step ? lanes + lane - step : lane)...);
  b = __builtin_shufflevector(a, b, (lane & step ? lanes + lane : lane + step)...);
  a = first;
}

template <int step, class V, int lanes>
VITRO_INLINE void transpose_step(V (&v)[lanes]) {
#pragma clang loop unroll(full)
  for (int i = 0; i < lanes; ++i) {
    if (!(i & step))
      swap_blocks<step>(v[i], v[i + step], __make_integer_seq<LaneList, int, lanes>{});
  }
}

template <class V, int lanes>
VITRO_INLINE void transpose(V (&v)[lanes]) {
  if constexpr (lanes > 8) transpose_step<8>(v);
  transpose_step<4>(v);
  transpose_step<2>(v);
  transpose_step<1>(v);
}

// to[j * to_stride + i] = from[i * from_stride + j] for i < rows, j < columns, in blocks of 16 by
// 16. If a side is not a multiple of 16, its last block begins earlier and writes some elements
// again.
template <class T>
[[gnu::noinline]] static void transpose_words(const T* from, i64 from_stride, T* to, i64 to_stride,
                                              i64 rows, i64 columns) {
  if (rows < 16 || columns < 16) {
#pragma clang loop vectorize(disable) unroll(disable)
    for (i64 j = 0; j < columns; ++j) {
#pragma clang loop vectorize(disable) unroll(disable)
      for (i64 i = 0; i < rows; ++i) to[j * to_stride + i] = from[i * from_stride + j];
    }
    return;
  }
  for (i64 column = 0; column < columns; column += 16) {
    i64 j = column < columns - 16 ? column : columns - 16;
    for (i64 row = 0; row < rows; row += 16) {
      i64 i = row < rows - 16 ? row : rows - 16;
      Vec<T> v[16];
#pragma clang loop unroll(full)
      for (int r = 0; r < 16; ++r) v[r] = load(from + (i + r) * from_stride + j);
      transpose(v);
#pragma clang loop unroll(full)
      for (int c = 0; c < 16; ++c) store(to + (j + c) * to_stride + i, v[c]);
    }
  }
}

template <class T>
VITRO_INLINE void transpose_block(const T* from, i64 from_stride, T* to, i64 to_stride, i64 rows,
                                  i64 columns) {
  transpose_words((const Bits<T>*)from, from_stride, (Bits<T>*)to, to_stride, rows, columns);
}

}  // namespace vitro::kernels::inline VITRO_ISA
