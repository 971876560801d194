// The error function and its complement.
#pragma once
#include "kernels/exp.h"

namespace vitro::kernels::inline VITRO_ISA {

// erf(x) for |x| <= 1 (0.93 for f32).
template <class T>
VITRO_INLINE Vec<T> erf_near(Vec<T> x) {
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
  return fma(p, x, x);
}

// erfc(a) for a >= 0.45: e^(-a^2) times a smooth function of (a - 4) / (a + 4), divided by 1 + 2 a.
VITRO_INLINE Vec<f64> erfc_far(Vec<f64> a) {
  a = (a > 28.0) ? splat(28.0) : a;
  Vec<f64> t = (a - 4.0) / (a + 4.0), square = a * a;
  Vec<f64> p = horner(t, -6.017621830144487e-09, 7.467681168184686e-08, 4.972876135616994e-08,
                      -7.83115627347248e-07, 3.2002957051693417e-07, 5.680459183351767e-06,
                      -1.1238137906496525e-05, -2.438658976410742e-05, 0.00015062779638085448,
                      -0.00019926016937119446, -0.0007577747454956448, 0.005031970582314006,
                      -0.016197733845118644, 0.03716751547386117, -0.06633036583016087,
                      0.09373283500205516, -0.10103906603552817, 0.0680970542545931,
                      0.015379652102606355, -0.13962111684056172, 1.2329951186255526);
  Vec<f64> e = exp_scaled<64>(-square, -fma(a, a, -square));
  return e * (p / (a + a + 1.0)) * 0x1p-64;
}

VITRO_INLINE Vec<f64> erf(Vec<f64> x) {
  Vec<f64> a = abs(x);
  return with_sign_of((a < 1.0) ? erf_near(a) : 1.0 - erfc_far(a), x);
}
VITRO_INLINE Vec<f64> erfc(Vec<f64> x) {
  Vec<f64> a = abs(x), far = erfc_far(a);
  return (a < 0.6) ? 1.0 - erf_near(x) : (x < 0.0) ? 2.0 - far : far;
}

VITRO_INLINE Vec<f32> erf(Vec<f32> x) {
  Vec<f32> a = abs(x), b = (a > 4.0f) ? splat(4.0f) : a;
  ExpParts<f32> parts =
      exp_parts(-horner(b, -1.6027146e-06f, 4.535926e-05f, -5.907569e-04f, 0.0047304886f,
                        -0.026336163f, 0.10992635f, 0.631994f, 1.1301323f, -2.9449016e-04f));
  Vec<f32> power = from_bits<f32>((parts.k + 127) << 23);
  Vec<f32> one = splat(1.0f), far = fma(-power, fma(parts.r, fma(parts.r, parts.p, one), one), one);
  return with_sign_of((a < 0.92f) ? erf_near(a) : far, x);
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
