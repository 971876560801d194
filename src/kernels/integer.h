// Integer operations, also for inputs that are undefined in C++. Division by zero gives 0 here (the
// caller reports the error); the smallest number divided by -1 wraps. A shift by a negative count
// or by at least the width gives 0 (-1 for a negative number shifted right), as in PyTorch.
#pragma once
#include "kernels/reduce.h"
#include "kernels/vector.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
inline constexpr bool is_signed = T(-1) < T(0);
template <class T>
inline constexpr T greatest = is_signed<T> ? T(~(~0UL << (sizeof(T) * 8 - 1))) : T(-1);
template <class T>
inline constexpr T least = is_signed<T> ? T(-greatest<T> - 1) : T(0);

// a / b towards zero.
template <Whole T>
VITRO_INLINE Vec<T> trunc_div(Vec<T> a, Vec<T> b) {
  Vec<T> zero = splat(T(0)), one = splat(T(1));
  Mask bad = eq(b, zero);
  if constexpr (is_signed<T>) {
    Mask minus = eq(b, splat(T(-1)));
    Vec<T> q = a / select(bad | minus, one, b);
    return select(bad, zero, select(minus, zero - a, q));
  } else {
    return select(bad, zero, a / select(bad, one, b));
  }
}
// a - trunc_div(a, b) * b: the sign of a.
template <Whole T>
VITRO_INLINE Vec<T> fmod(Vec<T> a, Vec<T> b) {
  return select(eq(b, splat(T(0))), splat(T(0)), a - trunc_div(a, b) * b);
}
// a / b downwards.
template <Whole T>
VITRO_INLINE Vec<T> floor_div(Vec<T> a, Vec<T> b) {
  Vec<T> q = trunc_div(a, b), zero = splat(T(0));
  if constexpr (!is_signed<T>) return q;
  Mask inexact = ne(a - q * b, zero) & ne(b, zero) & (lt(a, zero) ^ lt(b, zero));
  return select(inexact, q - splat(T(1)), q);
}
// a - floor_div(a, b) * b: the sign of b.
template <Whole T>
VITRO_INLINE Vec<T> remainder(Vec<T> a, Vec<T> b) {
  return select(eq(b, splat(T(0))), splat(T(0)), a - floor_div(a, b) * b);
}

template <class T>
VITRO_INLINE Vec<T> shift_left(Vec<T> a, Vec<T> by) {
  constexpr T width = T(sizeof(T) * 8);
  Mask good = ge(by, splat(T(0))) & lt(by, splat(width));
  return select(good, a << (by & splat(T(width - 1))), splat(T(0)));
}
template <class T>
VITRO_INLINE Vec<T> shift_right(Vec<T> a, Vec<T> by) {
  constexpr T width = T(sizeof(T) * 8);
  Mask good = ge(by, splat(T(0))) & lt(by, splat(width));
  return a >> select(good, by, splat(T(width - 1)));
}

// By repeated squaring; a negative exponent gives 0 except for bases 1 and -1.
template <Whole T>
VITRO_INLINE Vec<T> pow(Vec<T> base, Vec<T> exponent) {
  const Vec<T> zero = splat(T(0)), one = splat(T(1)), odd = exponent & one;
  const Mask inverts = lt(exponent, zero);
  Vec<T> result = one, factor = base, left = select(inverts, zero, exponent);
  while (reduce_any(ne(left, zero))) {
    result = select(ne(left & one, zero), result * factor, result);
    factor = factor * factor;
    left = left >> 1;
  }
  const Vec<T> of_minus_one = select(ne(odd, zero), zero - one, one);
  const Vec<T> inverse =
      select(eq(base, one), one, select(eq(base, zero - one), of_minus_one, zero));
  return select(inverts, inverse, result);
}
VITRO_INLINE Mask pow(Mask base, Mask exponent) {
  return base | not_(exponent);
}

}  // namespace vitro::kernels::inline VITRO_ISA
