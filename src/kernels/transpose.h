// Sixteen vectors of sixteen lanes turned over: lane j of vector i goes to lane i of vector j.
#pragma once
#include "kernels/vector.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class, int... lane>
struct LaneList {};

// Blocks of `step` lanes: the second of `a` and the first of `b` change places.
template <int step, class T, int... lane>
VITRO_INLINE void swap_blocks(Vec<T>& a, Vec<T>& b, LaneList<int, lane...>) {
  Vec<T> first = __builtin_shufflevector(a, b, (lane & step ? 16 + lane - step : lane)...);
  b = __builtin_shufflevector(a, b, (lane & step ? 16 + lane : lane + step)...);
  a = first;
}

template <int step, class T>
VITRO_INLINE void transpose_step(Vec<T> (&v)[16]) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; ++i) {
    if (!(i & step)) swap_blocks<step>(v[i], v[i + step], __make_integer_seq<LaneList, int, 16>{});
  }
}

template <class T>
VITRO_INLINE void transpose(Vec<T> (&v)[16]) {
  transpose_step<8>(v);
  transpose_step<4>(v);
  transpose_step<2>(v);
  transpose_step<1>(v);
}

}  // namespace vitro::kernels::inline VITRO_ISA
