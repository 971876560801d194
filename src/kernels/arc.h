// asin, acos, atan, atan2.  f32 goes through f64.
#pragma once
#include "kernels/polynomial.h"

namespace vitro::kernels::inline VITRO_ISA {

inline constexpr f64 half_pi = 1.5707963267948966, half_pi_low = 6.123233995736766e-17;

// (asin(s) - s) / s for z = s * s <= 1/4.
VITRO_INLINE Vec<f64> asin_tail(Vec<f64> z) {
  return z * horner(z, 0.029077773072047508, -0.01533368756895914, 0.017718742670338076,
                    0.00533683154869507, 0.01035193460276123, 0.011474521212413756,
                    0.013971711915720634, 0.017352357280159672, 0.022372174556052764,
                    0.030381944094300607, 0.04464285714700721, 0.07499999999998017,
                    0.16666666666666669);
}

struct ArcRoot {
  Vec<f64> s, low, tail;  // sqrt((1 - a) / 2), its rounding error, asin_tail
};
VITRO_INLINE ArcRoot arc_root(Vec<f64> a) {
  Vec<f64> z = (1.0 - a) * 0.5, s = __builtin_elementwise_sqrt(z);
  Vec<f64> low = fma(-s, s, z) / (s + s);
  return {s, (z == 0.0) ? Vec<f64>{} : low, asin_tail(z)};
}

VITRO_INLINE Vec<f64> asin(Vec<f64> x) {
  Vec<f64> a = abs(x), near = fma(a, asin_tail(a * a), a);
  ArcRoot root = arc_root(a);
  Vec<f64> far = half_pi - (2.0 * root.s - (half_pi_low - 2.0 * fma(root.s, root.tail, root.low)));
  return with_sign_of((a > 0.5) ? far : near, x);
}
VITRO_INLINE Vec<f64> acos(Vec<f64> x) {
  Vec<f64> a = abs(x), t = asin_tail(a * a);
  Vec<f64> near = half_pi - (x - (half_pi_low - x * t));
  ArcRoot root = arc_root(a);
  Vec<f64> rest = fma(root.s, root.tail, root.low);
  Vec<f64> right = 2.0 * (root.s + rest);
  Vec<f64> left = 2.0 * (half_pi - (root.s + (rest - half_pi_low)));
  return (a > 0.5) ? ((x < 0.0) ? left : right) : near;
}

// (atan(t) - t) / t^3 for z = t * t <= 1/4.
template <bool precise>
VITRO_INLINE Vec<f64> atan_tail(Vec<f64> z) {
  if constexpr (precise) {
    return horner(z, 0.010078450256027115, -0.027377481208736607, 0.04182739924613394,
                  -0.05120588698574861, 0.05857960463492229, -0.06663757200376812, 0.07692068286244,
                  -0.0909089585456088, 0.11111110642494643, -0.14285714275943093,
                  0.19999999999897286, -0.33333333333332954);
  } else {
    return horner(z, -0.029809018389295183, 0.06445305635269598, -0.08852272002479074,
                  0.11085059341871356, -0.14284162326160443, 0.19999955559247026,
                  -0.3333333289711404);
  }
}

// The angle of the point (x, y), both not negative. If y - x is used, it is exact.
template <bool precise>
VITRO_INLINE Vec<f64> first_quadrant(Vec<f64> y, Vec<f64> x) {
  auto low = y < 0.5 * x, high = y > 2.0 * x;
  Vec<f64> above = low ? y : high ? -x : y - x, below = low ? x : high ? y : y + x;
  Vec<f64> t = above / below, z = t * t;
  Vec<f64> base = low ? Vec<f64>{} : high ? splat(half_pi) : splat(half_pi * 0.5);
  Vec<f64> base_low = low ? Vec<f64>{} : high ? splat(half_pi_low) : splat(half_pi_low * 0.5);
  return base + (t + fma(t, z * atan_tail<precise>(z), base_low));
}

template <bool precise = true>
VITRO_INLINE Vec<f64> atan(Vec<f64> x) {
  Vec<f64> a = abs(x);
  Vec<f64> y = (a < infinity<f64>) ? first_quadrant<precise>(a, splat(1.0)) : splat(half_pi);
  return with_sign_of((x != x) ? x : y, x);
}

template <bool precise = true>
VITRO_INLINE Vec<f64> atan2(Vec<f64> y, Vec<f64> x) {
  Vec<f64> a = abs(x), b = abs(y), larger = (a > b) ? a : b;
  auto both = (a == infinity<f64>)&(b == infinity<f64>);
  auto neither = (a == 0.0) & (b == 0.0);
  Vec<f64> factor = (larger > 0x1p1000)   ? splat(0x1p-60)
                    : (larger < 0x1p-900) ? splat(0x1p100)
                                          : splat(1.0);
  a = (both | neither) ? splat(1.0) : a * factor, b = both ? splat(1.0) : b * factor;
  Vec<f64> angle = first_quadrant<precise>(b, a);
  angle = (b == infinity<f64>) ? splat(half_pi) : (a == infinity<f64>) ? Vec<f64>{} : angle;
  Vec<f64> back = 2.0 * half_pi - (angle - 2.0 * half_pi_low);
  angle = (bits(x) < 0) ? back : angle;
  angle = with_sign_of(angle, y);
  return ((x != x) | (y != y)) ? x + y : angle;
}

VITRO_INLINE Vec<f32> asin(Vec<f32> x) {
  return __builtin_convertvector(asin(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}
VITRO_INLINE Vec<f32> acos(Vec<f32> x) {
  return __builtin_convertvector(acos(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}
VITRO_INLINE Vec<f32> atan(Vec<f32> x) {
  return __builtin_convertvector(atan<false>(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}
VITRO_INLINE Vec<f32> atan2(Vec<f32> y, Vec<f32> x) {
  return __builtin_convertvector(
      atan2<false>(__builtin_convertvector(y, Vec<f64>), __builtin_convertvector(x, Vec<f64>)),
      Vec<f32>);
}

template <Number T>
VITRO_INLINE T asin(T x) {
  return asin(splat(x))[0];
}
template <Number T>
VITRO_INLINE T acos(T x) {
  return acos(splat(x))[0];
}
template <Number T>
VITRO_INLINE T atan(T x) {
  return atan(splat(x))[0];
}
template <Number T>
VITRO_INLINE T atan2(T y, T x) {
  return atan2(splat(y), splat(x))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
