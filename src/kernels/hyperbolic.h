// sinh, cosh, tanh and their inverses.
#pragma once
#include "kernels/exp.h"
#include "kernels/log.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
VITRO_INLINE Vec<T> cosh(Vec<T> x) {
  Vec<T> e = exp_scaled<-1>(abs(x));
  return e + T(0.25) / e;
}
template <class T>
VITRO_INLINE Vec<T> sinh(Vec<T> x) {
  Vec<T> a = abs(x), e = exp_scaled<-1>(a), z = a * a, p;
  if constexpr (single<T>) {
    p = horner(z, 2.759186e-06f, 1.9846353e-04f, 0.008333298f, 0.16666667f);
  } else {
    p = horner(z, 1.2879774439995824e-14, 7.26992660795026e-13, 1.6064704537159163e-10,
               2.5052065114167216e-08, 2.7557319401148674e-06, 0.00019841269840897475,
               0.008333333333333678, 0.16666666666666666);
  }
  return with_sign_of((a > T(1)) ? e - T(0.25) / e : fma(a * z, p, a), x);
}
template <class T>
VITRO_INLINE Vec<T> tanh(Vec<T> x) {
  Vec<T> a = abs(x), z = a * a, p;
  if constexpr (single<T>) {
    p = horner(z, -0.006597118f, 0.021299602f, -0.053906944f, 0.1333309f, -0.3333333f);
  } else {
    p = horner(z, 6.20414790391349e-06, -3.080778350985766e-05, 9.234223989789582e-05,
               -0.0002375178134272843, 0.0005896461198550765, -0.0014557732350805846,
               0.0035921214506300313, -0.008863235066957303, 0.021869488516047763,
               -0.053968253967764786, 0.1333333333333278, -0.3333333333333333);
  }
  ExpParts<T> parts = exp_parts((a > T(20)) ? splat(T(40)) : a + a);
  Vec<T> power = from_bits<T>((parts.k + exponent_bias<T>) << mantissa<T>);
  Vec<T> far = T(1) - T(2) / (fma(power, exp_tail(parts) + parts.high, power) + T(1));
  return with_sign_of((a > T(0.55)) ? far : fma(a * z, p, a), x);
}

VITRO_INLINE Vec<f64> asinh(Vec<f64> x) {
  Vec<f64> a = abs(x), z = a * a;
  auto large = a > 0x1p54;
  Vec<f64> near = a + z / (1.0 + __builtin_elementwise_sqrt(z + 1.0));
  Vec<f64> y = log1p(large ? a : near);
  return with_sign_of(large ? y + 0.6931471805599453 : y, x);
}
VITRO_INLINE Vec<f64> acosh(Vec<f64> x) {
  auto large = x > 0x1p54;
  Vec<f64> t = x - 1.0, root = __builtin_elementwise_sqrt(fma(t, t, t + t)), sum = root + t;
  Vec<f64> y = log1p(large ? x : sum, large ? Vec<f64>{} : root - sum + t);
  return (x < 1.0) ? splat(not_a_number<f64>) : large ? y + 0.6931471805599453 : y;
}
VITRO_INLINE Vec<f64> atanh(Vec<f64> x) {
  Vec<f64> a = abs(x);
  return with_sign_of(0.5 * log1p((a + a) / (1.0 - a)), x);
}
VITRO_INLINE Vec<f32> asinh(Vec<f32> x) {
  return __builtin_convertvector(asinh(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}
VITRO_INLINE Vec<f32> acosh(Vec<f32> x) {
  return __builtin_convertvector(acosh(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}
VITRO_INLINE Vec<f32> atanh(Vec<f32> x) {
  return __builtin_convertvector(atanh(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}

template <Number T>
VITRO_INLINE T cosh(T x) {
  return cosh(splat(x))[0];
}
template <Number T>
VITRO_INLINE T sinh(T x) {
  return sinh(splat(x))[0];
}
template <Number T>
VITRO_INLINE T tanh(T x) {
  return tanh(splat(x))[0];
}
template <Number T>
VITRO_INLINE T asinh(T x) {
  return asinh(splat(x))[0];
}
template <Number T>
VITRO_INLINE T acosh(T x) {
  return acosh(splat(x))[0];
}
template <Number T>
VITRO_INLINE T atanh(T x) {
  return atanh(splat(x))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
