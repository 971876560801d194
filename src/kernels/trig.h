// sin, cos, tan in radians, for every finite argument.
#pragma once
#include "kernels/memory.h"
#include "kernels/polynomial.h"
#include "kernels/reduce.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
struct Angle {
  Vec<T> r, low;         // |x| - quarter * pi / 2 in two pieces, within pi / 4
  Vec<Bits<T>> quarter;  // modulo 4
};

struct OneAngle {
  f64 r, low;
  i64 quarter;
};

// For large x: a window of 192 bits of 2 / pi times the 53 bits of x (Payne and Hanek).
[[gnu::noinline, maybe_unused]] static OneAngle huge_angle(f64 x) {
  static constexpr u64 two_over_pi[] = {0,
                                        0xa2f9836e4e441529,
                                        0xfc2757d1f534ddc0,
                                        0xdb6295993c439041,
                                        0xfe5163abdebbc561,
                                        0xb7246e3a424dd2e0,
                                        0x06492eea09d1921c,
                                        0xfe1deb1cb129a73e,
                                        0xe88235f52ebb4484,
                                        0xe99c7026b45f7e41,
                                        0x3991d639835339f4,
                                        0x9c845f8bbdf9283b,
                                        0x1ff897ffde05980f,
                                        0xef2f118b5a0a6d1f,
                                        0x6d367ecf27cb09b7,
                                        0x4f463f669e5fea2d,
                                        0x7527bac7ebe5f17b,
                                        0x3d0739f78a5292ea,
                                        0x6bfb5fb11f8d5d08,
                                        0x56033046fc7b6bab,
                                        0xf0cfbc209af4361d,
                                        0xa9e391615ee61b08};
  u64 b = __builtin_bit_cast(u64, x);
  i64 exponent = i64(b >> 52 & 0x7ff) - 1075, start = exponent + 62, word = start >> 6,
      shift = start & 63;
  if (exponent == 972) return {not_a_number<f64>, 0, 0};
  u64 m = (b & 0xfffffffffffff) | 0x10000000000000, w[3];
  for (int i = 0; i < 3; ++i) {
    w[i] = two_over_pi[word + i] << shift | (shift ? two_over_pi[word + i + 1] >> (64 - shift) : 0);
  }
  using u128 = unsigned __int128;
  u128 low = u128(m) * w[2], middle = u128(m) * w[1] + u64(low >> 64);
  u64 high = m * w[0] + u64(middle >> 64), next = u64(middle),
      quarter = (high + (u64(1) << 61)) >> 62;
  i64 fraction = i64(high - (quarter << 62));
  f64 turns = f64(fraction), rest = f64(fraction - i64(turns)) + f64(next) * 0x1p-64;
  constexpr f64 unit = 0x1p-62 * 1.5707963267948966, unit_low = 0x1p-62 * 6.123233995736766e-17;
  f64 r = turns * unit;
  return {r, __builtin_fma(turns, unit, -r) + turns * unit_low + rest * unit, i64(quarter)};
}

template <class T>
VITRO_INLINE Angle<T> angle(Vec<T> x) {
  constexpr T first = T(1.5707963267948966), limit = single<T> ? T(0x1p16) : T(0x1p27);
  constexpr T second = single<T> ? T(-4.371138828673793e-08) : T(6.123233995736766e-17);
  constexpr T third = single<T> ? T(-1.7151245100058819e-15) : T(-1.4973849048591698e-33);
  x = abs(x);
  Vec<T> shifted = fma(x, splat(T(0.6366197723675814)), splat(magic<T>)), n = shifted - magic<T>;
  Vec<T> high = fma(n, splat(-first), x), product = n * second, r = high - product, back = r - high;
  Vec<T> low =
      high - (r - back) - (product + back) - fma(n, splat(third), fma(n, splat(second), -product));
  Vec<Bits<T>> quarter = bits(shifted);
  Mask huge = gt(x, splat(limit));
  if (__builtin_expect(reduce_any(huge), 0)) {
    T xs[16], rs[16], lows[16];
    Bits<T> quarters[16];
    store(xs, x), store(rs, r), store(lows, low), store(quarters, quarter);
#pragma clang loop unroll(disable)
    for (int i = 0; i < 16; ++i) {
      if (!(xs[i] > limit)) continue;
      OneAngle one = huge_angle(f64(xs[i]));
      rs[i] = T(one.r), lows[i] = T(one.r - rs[i] + one.low), quarters[i] = Bits<T>(one.quarter);
    }
    r = load(rs), low = load(lows), quarter = load(quarters);
  }
  return {r, low, quarter};
}

template <class T>
VITRO_INLINE Vec<T> sin_near_zero(Vec<T> r, Vec<T> low, Vec<T> z) {
  Vec<T> p;
  if constexpr (single<T>) {
    p = horner(z, -1.9583863e-04f, 0.008332717f, -0.16666664f);
  } else {
    p = horner(z, -7.057583397567275e-13, 1.6047923412748418e-10, -2.5052024433342707e-08,
               2.755731891659565e-06, -0.0001984126984072044, 0.008333333333332912,
               -0.16666666666666666);
  }
  return r + fma(r * z, p, fma(z * T(-0.5), low, low));
}
template <class T>
VITRO_INLINE Vec<T> cos_near_zero(Vec<T> r, Vec<T> low, Vec<T> z) {
  Vec<T> p, half = z * T(0.5), w = T(1) - half;
  if constexpr (single<T>) {
    p = horner(z, 2.4543944e-05f, -0.0013888272f, 0.041666664f);
  } else {
    p = horner(z, 3.422893466256089e-14, -1.14439355967683e-11, 2.0876551247363005e-09,
               -2.7557318464325787e-07, 2.480158730022256e-05, -0.0013888888888887838,
               0.041666666666666664);
  }
  return w + fma(z * z, p, fma(-r, low, (T(1) - w) - half));
}

template <class T>
VITRO_INLINE Vec<T> sin(Vec<T> x) {
  Angle<T> a = angle(x);
  Vec<T> z = a.r * a.r;
  Vec<T> y = ((a.quarter & 1) != 0) ? cos_near_zero(a.r, a.low, z) : sin_near_zero(a.r, a.low, z);
  y = from_bits<T>(bits(y) ^ ((a.quarter & 2) << (sizeof(T) * 8 - 2)));
  return with_sign_of(y, x);
}
template <class T>
VITRO_INLINE Vec<T> cos(Vec<T> x) {
  Angle<T> a = angle(x);
  Vec<T> z = a.r * a.r;
  Vec<T> y = ((a.quarter & 1) != 0) ? sin_near_zero(a.r, a.low, z) : cos_near_zero(a.r, a.low, z);
  return from_bits<T>(bits(y) ^ (((a.quarter + 1) & 2) << (sizeof(T) * 8 - 2)));
}
// (tan(r) - r) / r^3 for z = r * r.
template <bool precise>
VITRO_INLINE Vec<f64> tan_tail(Vec<f64> z) {
  if constexpr (precise) {
    return horner(z, 2.0772270961410905e-05, -4.448926285723091e-05, 8.871769984061868e-05,
                  -2.5567485581256486e-05, 0.00013593061481639832, 0.00022267562735998008,
                  0.000594962023278038, 0.0014547829258829642, 0.0035922848935961513,
                  0.008863219633684713, 0.02186948957568383, 0.05396825392802548,
                  0.1333333333341199, 0.33333333333332793);
  } else {
    return horner(z, 0.0009472220812453414, -0.0005624479362766889, 0.002378789575502858,
                  0.003166417072802032, 0.008981446596787936, 0.021849931393578752,
                  0.053970068610998345, 0.133333251210281, 0.3333333346118846);
  }
}
// tan(r) is t plus its rounding error; in odd quarters the result is -1 / tan(r).
template <bool precise = true>
VITRO_INLINE Vec<f64> tan(Vec<f64> x) {
  Angle<f64> a = angle(x);
  Vec<f64> r = a.r, z = r * r, low = fma(z * 1.5, a.low, a.low);
  Vec<f64> tail = fma(r * z, tan_tail<precise>(z), low), t = r + tail, turned = -1.0 / t;
  if constexpr (precise) {
    Vec<f64> lost = fma(turned, r - t + tail, fma(turned, t, splat(1.0)));
    turned = fma(turned, lost, turned);
  }
  return with_sign_of(((a.quarter & 1) != 0) ? turned : t, x);
}
VITRO_INLINE Vec<f32> tan(Vec<f32> x) {
  return __builtin_convertvector(tan<false>(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}

template <Number T>
VITRO_INLINE T sin(T x) {
  return sin(splat(x))[0];
}
template <Number T>
VITRO_INLINE T cos(T x) {
  return cos(splat(x))[0];
}
template <Number T>
VITRO_INLINE T tan(T x) {
  return tan(splat(x))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
