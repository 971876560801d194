// Reductions in a fixed order.
// Sixteen lanes to one: lane i combines with lane i + 8, then i + 4, i + 2, i + 1.
// Blocks of elements to one: their partial results merge as a tree. The tree of m parts is
// merge(T(p), T(m - p)), p the largest power of two below m; it needs memory for one part of each
// power of two (part l at parts + l * width).
#pragma once
#include "kernels/memory.h"

namespace vitro::kernels::inline VITRO_ISA {

// Lane i of the result is lane (i + by) % 16 of `v`.
template <int by, class T>
VITRO_INLINE Vec<T> rotate(Vec<T> v) {
  return __builtin_shufflevector(v, v, (0 + by) % 16, (1 + by) % 16, (2 + by) % 16, (3 + by) % 16,
                                 (4 + by) % 16, (5 + by) % 16, (6 + by) % 16, (7 + by) % 16,
                                 (8 + by) % 16, (9 + by) % 16, (10 + by) % 16, (11 + by) % 16,
                                 (12 + by) % 16, (13 + by) % 16, (14 + by) % 16, (15 + by) % 16);
}

// combine(combine(...), ...) over the lanes; `combine` takes and returns Vec<T>.
template <class T, class F>
VITRO_INLINE T reduce(Vec<T> v, F combine) {
  v = combine(v, rotate<8>(v));
  v = combine(v, rotate<4>(v));
  v = combine(v, rotate<2>(v));
  v = combine(v, rotate<1>(v));
  return v[0];
}

template <class T>
VITRO_INLINE T reduce_sum(Vec<T> v) {
  return reduce(v, [](Vec<T> a, Vec<T> b) __attribute__((always_inline)) { return a + b; });
}
template <class T>
VITRO_INLINE T reduce_product(Vec<T> v) {
  return reduce(v, [](Vec<T> a, Vec<T> b) __attribute__((always_inline)) { return a * b; });
}
template <class T>
VITRO_INLINE T reduce_max(Vec<T> v) {
  return reduce(v, [](Vec<T> a, Vec<T> b) __attribute__((always_inline)) { return maximum(a, b); });
}
template <class T>
VITRO_INLINE T reduce_min(Vec<T> v) {
  return reduce(v, [](Vec<T> a, Vec<T> b) __attribute__((always_inline)) { return minimum(a, b); });
}
VITRO_INLINE bool reduce_any(Mask m) {
  return __builtin_bit_cast(u16, m) != 0;
}
VITRO_INLINE bool reduce_all(Mask m) {
  return __builtin_bit_cast(u16, m) == 0xffff;
}

// Adds part `number` to a tree; parts come in order, number 0 first.
template <class T, class F>
VITRO_INLINE void tree_add(T* parts, i64 width, i64 number, Plain<Vec<T>> part, F merge) {
  for (; number & 1; number >>= 1, parts += width) part = merge(load(parts), part);
  store(parts, part);
}

// All `count` parts merged into one; `none` if there are none.
template <class T, class F>
VITRO_INLINE Vec<T> tree_total(const T* parts, i64 width, i64 count, Plain<Vec<T>> none, F merge) {
  if (count == 0) return none;
  for (; !(count & 1); count >>= 1) parts += width;
  Vec<T> total = load(parts);
  while (count >>= 1) {
    parts += width;
    if (count & 1) total = merge(load(parts), total);
  }
  return total;
}

}  // namespace vitro::kernels::inline VITRO_ISA
