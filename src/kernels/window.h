// Loads of a range of lanes: reads across the border of a tensor load only the lanes inside it. The
// others are zero, and their memory is not accessed.
#pragma once
#include "kernels/index.h"
#include "kernels/memory.h"
#include "kernels/vector.h"

namespace vitro::kernels::inline VITRO_ISA {

// Mask of the lanes from `first` on.
VITRO_INLINE Mask lanes_from(i64 first) {
  return not_(first_lanes(first));
}

// Lanes [first, end) of p[0], p[stride], ...
template <class T>
VITRO_INLINE Vec<T> load_some(const T* p, i64 stride, i64 first, i64 end) {
  if constexpr (is_half<T>) return from_bits<T>(load_some((const i16*)p, stride, first, end));
  if constexpr (__is_same(T, bool))
    return ne(load_some((const u8*)p, stride, first, end), splat(u8(0)));
  T buffer[16] = {};
#pragma clang loop vectorize(disable) unroll(disable)
  for (i64 i = max(first, 0); i < min(end, 16); ++i) buffer[i] = p[i * stride];
  return load(buffer);
}

template <class T>
VITRO_INLINE Vec<T> load_between(const T* p, i64 first, i64 end) {
  if (first <= 0 && end >= 16) [[likely]]
    return load(p);
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
  return load_lanes(p, u16(lane_bits(end) & ~lane_bits(first)));
#else
  if constexpr (is_half<T>) return from_bits<T>(load_between((const i16*)p, first, end));
  if constexpr (__is_same(T, bool)) return ne(load_between((const u8*)p, first, end), splat(u8(0)));
  first = max(first, 0);
  end = min(end, 16);
  T buffer[32] = {};
  if (first < end) store(buffer + first, load(p + first, end - first));
  return load(buffer);
#endif
}

// p[0], p[2], ... p[30], from two overlapping vectors, of which the second ends at p[30].
template <class T>
VITRO_INLINE Vec<T> load_alternate(const T* p) {
  const Vec<T> low = load(p), high = load(p + 15);
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29,
                                 31);
}

template <class T>
VITRO_INLINE Vec<T> load_strided_between(const T* p, i64 stride, i64 first, i64 end) {
  if (first <= 0 && end >= 16) [[likely]] {
    if constexpr (is_float<T>)
      if (stride == 2) return load_alternate(p);
    return load_strided(p, stride);
  }
  return load_some(p, stride, first, end);
}

VITRO_INLINE Bf16Vec load_between(const bf16* p, i64 first, i64 end) {
  return {load_between((const u16*)p, first, end)};
}
VITRO_INLINE Bf16Vec load_strided_between(const bf16* p, i64 stride, i64 first, i64 end) {
  return {load_strided_between((const u16*)p, stride, first, end)};
}

}  // namespace vitro::kernels::inline VITRO_ISA
