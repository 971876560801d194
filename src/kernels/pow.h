// x to the power y, with the special cases of C.
#pragma once
#include "kernels/exp.h"
#include "kernels/log.h"

namespace vitro::kernels::inline VITRO_ISA {

// x^y from |x|^y = r: sign and special cases.
template <class T>
VITRO_INLINE Vec<T> pow_ends(Vec<T> x, Vec<T> y, Vec<T> r) {
  Vec<T> a = abs(x), half = y * T(0.5);
  auto is_integer = y == __builtin_elementwise_trunc(y);
  auto odd = is_integer & (half != __builtin_elementwise_trunc(half));
  r = (a == T(1)) ? splat(T(1)) : r;
  r = ((x < T(0)) & (a < infinity<T>)&~is_integer) ? splat(not_a_number<T>) : r;
  r = odd ? with_sign_of(r, x) : r;
  r = ((x != x) | (y != y)) ? x + y : r;
  return ((x == T(1)) | (y == T(0))) ? splat(T(1)) : r;
}

// 2^(x + low).
VITRO_INLINE Vec<f64> exp2_of(Vec<f64> x, Vec<f64> low) {
  low = (abs(x) < 1100.0) ? low : Vec<f64>{};
  x = clamp(x, -1100.0, 1100.0);
  Vec<f64> shifted = x + magic<f64>, n = shifted - magic<f64>, r = x - n + low;
  Vec<f64> p = horner(r, 2.534712144742642e-11, 4.4777733289808857e-10, 7.055179731013569e-09,
                      1.0177906105768673e-07, 1.3215486031693725e-06, 1.5252734219089084e-05,
                      0.00015403530394342456, 0.0013333558145993498, 0.009618129107627948,
                      0.05550410866482347, 0.24022650695910072, 0.6931471805599453);
  return scale(fma(r, p, splat(1.0)), n, bits(shifted) - bits(splat(magic<f64>)));
}

// log2(a) in two pieces, about 68 bits together.
VITRO_INLINE Vec<f64> log2_long(Vec<f64> a, Vec<f64>& low) {
  LogParts<f64> parts = log_parts(a);
  Vec<f64> f = parts.f, d = f + 2.0, d_low = f - (d - 2.0), inverse = 1.0 / d;
  Vec<f64> s = f * inverse, s_low = (fma(-s, d, f) - s * d_low) * inverse;
  Vec<f64> z = s * s, z_low = fma(s, s, -z) + 2.0 * s * s_low;
  Vec<f64> u =
      z * horner(z, 0.1291590803914, 0.13285745193840426, 0.1538558228980985, 0.18181808122270968,
                 0.22222222272099604, 0.28571428571335217, 0.4000000000000003);
  Vec<f64> w = u + 0.6666666666666666, w_low = 0.6666666666666666 - w + u + 3.700743415417188e-17;
  Vec<f64> c = s * z, c_low = fma(s, z, -c) + s * z_low + s_low * z;
  Vec<f64> t = c * w, t_low = fma(c, w, -t) + c * w_low + c_low * w;
  Vec<f64> two = s + s, h = two + t, h_low = two - h + t + (s_low + s_low + t_low);
  constexpr f64 log2e = 1.4426950408889634, log2e_low = 2.0355273740931033e-17;
  Vec<f64> p = h * log2e, p_low = fma(h, splat(log2e), -p) + h * log2e_low + h_low * log2e;
  Vec<f64> sum = parts.e + p;
  low = parts.e - sum + p + p_low;
  return log_ends(a, sum);
}

VITRO_INLINE Vec<f64> pow(Vec<f64> x, Vec<f64> y) {
  Vec<f64> low, high = log2_long(abs(x), low), product = y * high;
  return pow_ends(x, y, exp2_of(product, fma(y, high, -product) + y * low));
}
VITRO_INLINE Vec<f32> pow(Vec<f32> x, Vec<f32> y) {
  Vec<f64> a = __builtin_convertvector(abs(x), Vec<f64>), b = __builtin_convertvector(y, Vec<f64>);
  return pow_ends(x, y, __builtin_convertvector(exp2_of(b * log2(a), Vec<f64>{}), Vec<f32>));
}

template <Number T>
VITRO_INLINE T pow(T x, T y) {
  return pow(splat(x), splat(y))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
