// Building blocks of the elementary functions.
#pragma once
#include "kernels/vector.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
inline constexpr bool single = __is_same(T, f32);
template <class T>
inline constexpr int mantissa = single<T> ? 23 : 52;
template <class T>
inline constexpr Bits<T> exponent_bias = single<T> ? 127 : 1023;
template <class T>
inline constexpr T infinity = T(__builtin_inf());
template <class T>
inline constexpr T not_a_number = T(__builtin_nan(""));
// Adding it to a small number leaves the nearest integer in the low bits.
template <class T>
inline constexpr T magic = single<T> ? T(0x1.8p23) : T(0x1.8p52);

// -0, which changes no sum: compilers remove its addition.
template <class T>
VITRO_INLINE Vec<T> nothing() {
  return splat(T(-0.0));
}

// Coefficients in order of descending powers.
template <class T, class... C>
VITRO_INLINE Vec<T> horner(Vec<T> x, T first, C... rest) {
  Vec<T> sum = splat(first);
  ((sum = fma(sum, x, splat(T(rest)))), ...);
  return sum;
}

// A single number instead of sixteen.
template <class T>
concept Number = __is_same(T, f32) || __is_same(T, f64);

template <class T>
VITRO_INLINE Vec<T> clamp(Vec<T> x, T low, T high) {  // NaN stays
  x = (x < splat(low)) ? splat(low) : x;
  return (x > splat(high)) ? splat(high) : x;
}
template <class T>
VITRO_INLINE Vec<T> with_sign_of(Vec<T> magnitude, Vec<T> from) {
  constexpr Bits<T> sign = Bits<T>(1) << (sizeof(T) * 8 - 1);
  return from_bits<T>(bits(magnitude) ^ (bits(from) & sign));
}

// v * 2^n, rounded once; n is an integer, k the same as Bits<T>.
#if defined(__AVX512F__)
VITRO_INLINE Vec<f32> scale(Vec<f32> v, Vec<f32> n, Vec<i32>) {
  typedef f32 X __attribute__((vector_size(64)));
  return (Vec<f32>)__builtin_ia32_scalefps512_mask((X)v, (X)n, (X)v, u16(-1), 4);
}
VITRO_INLINE Vec<f64> scale(Vec<f64> v, Vec<f64> n, Vec<i64>) {
  typedef f64 X __attribute__((vector_size(64)));
  struct Two {
    X half[2];
  };
  Two a = __builtin_bit_cast(Two, v), b = __builtin_bit_cast(Two, n);
  Two r = {__builtin_ia32_scalefpd512_mask(a.half[0], b.half[0], a.half[0], u8(-1), 4),
           __builtin_ia32_scalefpd512_mask(a.half[1], b.half[1], a.half[1], u8(-1), 4)};
  return __builtin_bit_cast(Vec<f64>, r);
}
#else
template <class T>
VITRO_INLINE Vec<T> scale(Vec<T> v, Vec<T>, Vec<Bits<T> > k) {
  Vec<Bits<T> > half = k >> 1, rest = k - half;
  return v * from_bits<T>((half + exponent_bias<T>) << mantissa<T>) *
         from_bits<T>((rest + exponent_bias<T>) << mantissa<T>);
}
#endif

}  // namespace vitro::kernels::inline VITRO_ISA
