// Conversions between element types as PyTorch defines them, for every input.
//   float -> narrower float   nearest, ties to even; NaN stays NaN; f64 to f16, bf16 through f32
//   float -> integer          towards zero; the smallest i32 or i64 for NaN and if it does not fit
//   float -> 8, 16 bits       as to i32, then wraps
//   integer -> integer        wraps
//   anything -> bool          not zero (NaN is true)
#pragma once
#include "kernels/memory.h"

namespace vitro::kernels::inline VITRO_ISA {

VITRO_INLINE Vec<f32> widen(Bf16Vec v) {
  return from_bits<f32>(__builtin_convertvector(v.words, Vec<i32>) << 16);
}
#if defined(__F16C__) || defined(__aarch64__)
VITRO_INLINE Vec<f32> widen(Vec<f16> v) {
  return __builtin_convertvector(v, Vec<f32>);
}
VITRO_INLINE Vec<f16> narrow_f16(Vec<f32> v) {
  return __builtin_convertvector(v, Vec<f16>);
}
#else
VITRO_INLINE Vec<f32> widen(Vec<f16> v) {
  Vec<i32> h = __builtin_convertvector(bits(v), Vec<i32>), m = (h & 0x7fff) << 13;
  Vec<i32> finite = bits(from_bits<f32>(m) * splat(0x1p112f));
  Vec<i32> special = m | 0x7f800000 | ((m > 0x0f800000) ? splat(0x400000) : splat(0));
  return from_bits<f32>(((m >= 0x0f800000) ? special : finite) | ((h & 0x8000) << 16));
}
VITRO_INLINE Vec<f16> narrow_f16(Vec<f32> v) {
  Vec<i32> u = bits(v), m = u & 0x7fffffff;
  Vec<i32> normal = (m - 0x37fff001 + ((m >> 13) & 1)) >> 13;
  Vec<i32> tiny = bits(from_bits<f32>(m) + splat(0.5f)) - 0x3f000000;
  Vec<i32> quiet = 0x7e00 | ((m >> 13) & 0x3ff);
  Vec<i32> r = (m < 0x38800000)   ? tiny
               : (m < 0x477ff000) ? normal
               : (m > 0x7f800000) ? quiet
                                  : splat(0x7c00);
  return from_bits<f16>(__builtin_convertvector(r | ((u >> 16) & 0x8000), Vec<i16>));
}
#endif

VITRO_INLINE Bf16Vec narrow_bf16(Vec<f32> v) {
  Vec<u32> u = __builtin_bit_cast(Vec<u32>, v);
  Vec<u32> rounded = (u + (((u >> 16) & 1) + 0x7fff)) >> 16;
  Vec<u32> quiet = (u >> 16) | 0x40;
  Vec<u32> r = (v != v) ? quiet : rounded;
  return {__builtin_convertvector(r, Vec<u16>)};
}

// Towards zero; the smallest I for NaN and for values that do not fit.
template <class I, class F>
VITRO_INLINE Vec<I> truncate_to(Vec<F> v) {
  constexpr I lowest = sizeof(I) == 4 ? I(-2147483647 - 1) : I(-9223372036854775807L - 1);
  constexpr F limit = -F(lowest);
  Mask fits =
      lt(v, splat(limit)) &
      (sizeof(I) == 4 && __is_same(F, f64) ? gt(v, splat(-limit - F(1))) : ge(v, splat(-limit)));
  return select(fits, __builtin_convertvector(select(fits, v, splat(F(0))), Vec<I>), splat(lowest));
}

template <class To, class From>
VITRO_INLINE auto convert(Vec<From> v) {
  if constexpr (__is_same(To, From)) {
    return v;
  } else if constexpr (is_half<From>) {
    if constexpr (__is_same(To, f32))
      return widen(v);
    else
      return convert<To>(widen(v));
  } else if constexpr (__is_same(To, bool)) {
    return ne(v, splat(From(0)));
  } else if constexpr (is_half<To>) {
    if constexpr (!__is_same(From, f32))
      return convert<To>(convert<f32>(v));
    else if constexpr (__is_same(To, bf16))
      return narrow_bf16(v);
    else
      return narrow_f16(v);
  } else if constexpr (is_float<From> && !is_float<To>) {
    if constexpr (sizeof(To) == 8)
      return __builtin_convertvector(truncate_to<i64>(v), Vec<To>);
    else
      return __builtin_convertvector(truncate_to<i32>(v), Vec<To>);
  } else {
    return __builtin_convertvector(v, Vec<To>);
  }
}

template <class To>
VITRO_INLINE auto convert(Bf16Vec v) {
  if constexpr (__is_same(To, bf16))
    return v;
  else
    return convert<To>(widen(v));
}

// Memory of one type, vectors of another: load_as<f32>(p) if p points to bf16.
template <class To, class T, class... Count>
VITRO_INLINE auto load_as(const T* p, Count... n) {
  return convert<To>(load(p, n...));
}
template <class T, class V, class... Count>
VITRO_INLINE void store_as(T* p, V v, Count... n) {
  store(p, convert<T>(v), n...);
}

}  // namespace vitro::kernels::inline VITRO_ISA
