// The error function and its complement.
#pragma once
#include "kernels/exp.h"

namespace vitro::kernels::inline VITRO_ISA {

// erf(x) / x - 1 for |x| <= 1 (0.93 for f32).
template <class T>
VITRO_INLINE Vec<T> erf_tail(Vec<T> x) {
  Vec<T> z = x * x, p;
  if constexpr (single<T>) {
    p = horner(z, 8.3017905e-05f, -8.125258e-04f, 0.0051993225f, -0.026858594f, 0.11283677f,
               -0.37612632f, 0.12837917f);
  } else {
    p = horner(z, -4.4277979171814475e-10, 3.431076023721743e-09, -1.2011031252121573e-08,
               2.5167767163359012e-08, -3.6042359585548084e-08, 4.8670712378841276e-08,
               -1.8735261048343364e-07, 1.6582638071128915e-06, -1.4930101673063473e-05,
               0.00012055450915641864, -0.0008548329211416501, 0.005223977652754287,
               -0.02686617064728327, 0.11283791670964753, -0.37612638903183954, 0.1283791670955126);
  }
  return p;
}

// erfc(a) for a >= 0.8: e^(-a^2) times p / d, where p is a polynomial in t = (a - 3.5) / (a + 3.5)
// and d = 1 + 2 a. If `precise`, the rounding error of p / d is added.
template <bool precise>
VITRO_INLINE Vec<f64> erfc_far(Vec<f64> a) {
  a = (a > 28.0) ? splat(28.0) : a;
  Vec<f64> t = (a - 3.5) / (a + 3.5), square = a * a, d = a + a + 1.0;
  Vec<f64> h =
      horner(t, -5.289992986876594e-08, -1.6912605984505813e-08, 5.459270989726725e-07,
             -2.6845672819925166e-08, -3.776775678693124e-06, 2.3148883456310968e-06,
             2.424562841684313e-05, -4.277671012148374e-05, -0.00012150857317348983,
             0.000564383102758823, -0.00030226847952478513, -0.004215019725159323,
             0.019099330999219424, -0.04882332584199317, 0.08798315382188562, -0.11508959815965861,
             0.09751909515333146, -0.010555596332225642, -0.14000918013761995);
  Vec<f64> middle = splat(1.2423492448711544), p = fma(h, t, middle);
  ExpParts<f64> parts = exp_parts(-square, -fma(a, a, -square));
  Vec<f64> u = exp_tail(parts) + parts.high;
  if constexpr (precise) {
    Vec<f64> inverse = 1.0 / d, q = p * inverse;
    Vec<f64> p_low = fma(h, t, middle - p), d_low = 1.0 - (d - (a + a));
    Vec<f64> rest = inverse * (fma(-q, d, p) + fma(-q, d_low, p_low));
    return scale(fma(u, q, rest) + q, parts.n, parts.k);
  } else {
    Vec<f64> q = p / d;
    return scale(fma(u, q, q), parts.n, parts.k);
  }
}

VITRO_INLINE Vec<f64> erf(Vec<f64> x) {
  Vec<f64> a = abs(x);
  return with_sign_of((a < 1.0) ? fma(erf_tail(a), a, a) : 1.0 - erfc_far<false>(a), x);
}
// Not inlined, because it is long, especially without an fma instruction.
[[gnu::noinline, maybe_unused]] static Vec<f64> erfc(Vec<f64> x) {
  Vec<f64> a = abs(x), far = erfc_far<true>(a);
  return (a < 0.8) ? fma(-erf_tail(x), x, 1.0 - x) : (x < 0.0) ? 2.0 - far : far;
}

// Far from 0 it is 1 - 2^y, where y, the logarithm of erfc, is a polynomial; y = n + r with n an
// integer, which is in the low bits of `shifted`, to be used as an exponent.
VITRO_INLINE Vec<f32> erf(Vec<f32> x) {
  constexpr f32 shift = magic<f32> + exponent_bias<f32>;
  Vec<f32> a = abs(x), b = (a > 4.0f) ? splat(4.0f) : a;
  Vec<f32> y = horner(b, 2.3122284e-06f, -6.543958e-05f, 8.5228204e-04f, -0.0068246527f,
                      0.03799505f, -0.1585902f, -0.91177464f, -1.6304363f, 4.248595e-04f);
  Vec<f32> shifted = y + shift, r = y - (shifted - shift), one = splat(1.0f);
  Vec<f32> power = from_bits<f32>(bits(shifted) << mantissa<f32>);
  Vec<f32> far = fma(-power, fma(r, exp2_polynomial(r), one), one);
  return with_sign_of((a < 0.92f) ? fma(erf_tail(a), a, a) : far, x);
}
VITRO_INLINE Vec<f32> erfc(Vec<f32> x) {
  return __builtin_convertvector(erfc(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}

template <Number T>
VITRO_INLINE T erf(T x) {
  return erf(splat(x))[0];
}
template <Number T>
VITRO_INLINE T erfc(T x) {
  return erfc(splat(x))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
