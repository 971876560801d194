// Rounding to integers, roots, and remainders of floats: exact, except for roots, which are rounded
// once (rsqrt twice).
#pragma once
#include "kernels/polynomial.h"
#include "kernels/reduce.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
VITRO_INLINE Vec<T> floor(Vec<T> x) {
  return __builtin_elementwise_floor(x);
}
template <class T>
VITRO_INLINE Vec<T> ceil(Vec<T> x) {
  return __builtin_elementwise_ceil(x);
}
template <class T>
VITRO_INLINE Vec<T> trunc(Vec<T> x) {
  return __builtin_elementwise_trunc(x);
}
// To nearest, halves to even.
template <class T>
VITRO_INLINE Vec<T> round(Vec<T> x) {
  return __builtin_elementwise_roundeven(x);
}
template <class T>
VITRO_INLINE Vec<T> sqrt(Vec<T> x) {
  return __builtin_elementwise_sqrt(x);
}
template <class T>
VITRO_INLINE Vec<T> rsqrt(Vec<T> x) {
  return T(1) / sqrt(x);
}

// x - trunc(x / y) * y, exact, with the sign of x.
template <class T>
  requires is_float<T>
VITRO_INLINE Vec<T> fmod(Vec<T> x, Vec<T> y) {
  constexpr T smallest = single<T> ? T(0x1p-126) : T(0x1p-1022),
              up = single<T> ? T(0x1p24) : T(0x1p53);
  constexpr int digits = mantissa<T>;
  using I = Bits<T>;
  Vec<T> r = abs(x), d = abs(y);
  Mask good = lt(r, splat(infinity<T>)) & gt(d, splat(T(0)));
  Mask todo = good & ge(r, d);
  auto tiny = d < smallest;
  Vec<I> d_exponent =
      (bits(tiny ? d * up : d) >> digits) - (tiny ? splat(I(digits + 1)) : Vec<I>{});
  while (reduce_any(todo)) {
    Vec<I> k = (bits(r) >> digits) - d_exponent - I(digits - 1);  // r / (d 2^k) < 2^(digits + 1)
    k = (k < 0) ? Vec<I>{} : (k > 2 * exponent_bias<T>) ? splat(I(2 * exponent_bias<T>)) : k;
    Vec<I> half = k >> 1, rest = k - half;
    Vec<T> step = d * from_bits<T>((half + exponent_bias<T>) << digits) *
                  from_bits<T>((rest + exponent_bias<T>) << digits);
    Vec<T> next = fma(-trunc(r / step), step, r);
    next = (next < 0) ? next + step : next;
    r = select(todo, next, r);
    todo = todo & ge(r, d);
  }
  return select(good, with_sign_of(r, x), splat(not_a_number<T>));
}
// x - floor(x / y) * y, with the sign of y.
template <class T>
  requires is_float<T>
VITRO_INLINE Vec<T> remainder(Vec<T> x, Vec<T> y) {
  Vec<T> m = fmod(x, y);
  return select(ne(m, splat(T(0))) & (lt(y, splat(T(0))) ^ lt(m, splat(T(0)))), m + y, m);
}
// floor(x / y) as Python computes it.
template <class T>
  requires is_float<T>
VITRO_INLINE Vec<T> floor_div(Vec<T> x, Vec<T> y) {
  Vec<T> zero = splat(T(0)), m = fmod(x, y), q = (x - m) / y;
  q = select(ne(m, zero) & (lt(y, zero) ^ lt(m, zero)), q - T(1), q);
  Vec<T> down = floor(q);
  down = (q - down > T(0.5)) ? down + T(1) : down;
  down = select(eq(q, zero), copysign(zero, x / y), down);
  return select(eq(y, zero), x / y, down);
}

template <class T>
  requires is_float<T>
VITRO_INLINE Vec<T> trunc_div(Vec<T> x, Vec<T> y) {
  return trunc(x / y);
}

template <Number T>
VITRO_INLINE T sqrt(T x) {
  return __builtin_elementwise_sqrt(x);
}
template <Number T>
VITRO_INLINE T rsqrt(T x) {
  return T(1) / sqrt(x);
}
template <Number T>
VITRO_INLINE T floor(T x) {
  return __builtin_elementwise_floor(x);
}
template <Number T>
VITRO_INLINE T ceil(T x) {
  return __builtin_elementwise_ceil(x);
}
template <Number T>
VITRO_INLINE T trunc(T x) {
  return __builtin_elementwise_trunc(x);
}
template <Number T>
VITRO_INLINE T round(T x) {
  return __builtin_elementwise_roundeven(x);
}
template <Number T>
VITRO_INLINE T fmod(T x, T y) {
  return fmod(splat(x), splat(y))[0];
}
template <Number T>
VITRO_INLINE T remainder(T x, T y) {
  return remainder(splat(x), splat(y))[0];
}
template <Number T>
VITRO_INLINE T floor_div(T x, T y) {
  return floor_div(splat(x), splat(y))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
