// exp and related functions: x = n ln 2 + r with |r| <= ln 2 / 2, a polynomial in r, and a scaling
// by 2^n that rounds once.
#pragma once
#include "kernels/polynomial.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
struct ExpParts {
  Vec<T> n;          // x / ln 2, rounded to the nearest integer
  Vec<Bits<T>> k;    // n as an integer
  Vec<T> high, low;  // r as a sum, the first part exact
  Vec<T> r;          // r, rounded
};

// p such that e^r = 1 + r + p r^2.
template <bool precise, class T>
VITRO_INLINE Vec<T> exp_polynomial(Vec<T> r) {
  if constexpr (!single<T>) {
    return horner(r, 2.5109728174257627e-08, 2.762019830273751e-07, 2.755724327541313e-06,
                  2.4801520991910592e-05, 0.00019841269885647028, 0.001388888891749402,
                  0.008333333333322581, 0.04166666666662317, 0.16666666666666674,
                  0.5000000000000001);
  } else if constexpr (precise) {
    return horner(r, 1.9972329e-04f, 0.0013930502f, 0.008333177f, 0.04166651f, 0.16666667f, 0.5f);
  } else {
    return horner(r, 0.0013934968f, 0.008363249f, 0.041666467f, 0.16666576f, 0.5f);
  }
}

// `low` is a small number that extends the precision of x.
template <class T>
VITRO_INLINE ExpParts<T> exp_parts(Vec<T> x, Vec<T> low = nothing<T>()) {
  constexpr T log2e = T(1.4426950408889634), ln2 = T(0.6931471805599453);
  constexpr T ln2_low = single<T> ? T(-1.904654299957768e-09) : T(2.3190468138462996e-17);
  Vec<T> shifted = fma(x, splat(log2e), splat(magic<T>)), n = shifted - magic<T>;
  Vec<T> high = fma(n, splat(-ln2), x), r = fma(n, splat(-ln2_low), high) + low;
  return {n, bits(shifted) - bits(splat(magic<T>)), high, fma(n, splat(-ln2_low), low), r};
}

// e^r - 1 without its first term, `high`.
template <class T>
VITRO_INLINE Vec<T> exp_tail(const ExpParts<T>& parts) {
  return fma(parts.r * parts.r, exp_polynomial<true>(parts.r), parts.low);
}

// 2^extra e^(x + low).
template <int extra, class T>
VITRO_INLINE Vec<T> exp_scaled(Vec<T> x, Vec<T> low = nothing<T>()) {
  x = single<T> ? clamp(x, T(-105), T(90)) : clamp(x, T(-747), T(711));
  ExpParts<T> parts = exp_parts(x, low);
  return scale(exp_tail(parts) + parts.high + T(1), parts.n + T(extra), parts.k + Bits<T>(extra));
}

template <class T>
VITRO_INLINE Vec<T> exp(Vec<T> x) {
  x = single<T> ? clamp(x, T(-105), T(90)) : clamp(x, T(-747), T(711));
  ExpParts<T> parts = exp_parts(x);
  Vec<T> r = parts.r, one = splat(T(1));
  return scale(fma(r, fma(r, exp_polynomial<false>(r), one), one), parts.n, parts.k);
}

// p such that 2^r = 1 + p r.
template <class T>
VITRO_INLINE Vec<T> exp2_polynomial(Vec<T> r) {
  if constexpr (single<T>) {
    return horner(r, 1.5456432e-04f, 0.0013388075f, 0.009618077f, 0.05550366f, 0.2402265f,
                  0.6931472f);
  } else {
    return horner(r, 2.534712144742642e-11, 4.4777733289808857e-10, 7.055179731013569e-09,
                  1.0177906105768673e-07, 1.3215486031693725e-06, 1.5252734219089084e-05,
                  0.00015403530394342456, 0.0013333558145993498, 0.009618129107627948,
                  0.05550410866482347, 0.24022650695910072, 0.6931471805599453);
  }
}

template <class T>
VITRO_INLINE Vec<T> exp2(Vec<T> x) {
  x = single<T> ? clamp(x, T(-151), T(129)) : clamp(x, T(-1076), T(1025));
  Vec<T> shifted = x + magic<T>, n = shifted - magic<T>, r = x - n;
  return scale(fma(r, exp2_polynomial(r), splat(T(1))), n, bits(shifted) - bits(splat(magic<T>)));
}

// e^x - 1, precise near zero.
template <class T>
VITRO_INLINE Vec<T> expm1(Vec<T> x) {
  constexpr T tiny = single<T> ? T(0x1p-26) : T(0x1p-55);
  ExpParts<T> parts = exp_parts(single<T> ? clamp(x, T(-18), T(88.8)) : clamp(x, T(-39), T(709.9)));
  Vec<T> half = from_bits<T>((parts.k + (exponent_bias<T> - 1)) << mantissa<T>);
  Vec<T> result = fma(half, exp_tail(parts), fma(half, parts.high, half - T(0.5))) * T(2);
  return (abs(x) < tiny) ? x : result;
}

// 1 / (1 + e^-x) as t / (t + 1 + u) with e^-x = (1 + u) / t and t a power of two: the sum of the
// three terms is computed such that it rounds only once.
template <class T>
VITRO_INLINE Vec<T> sigmoid(Vec<T> x) {
  ExpParts<T> parts = exp_parts(single<T> ? clamp(x, T(-105), T(30)) : clamp(x, T(-747), T(60)));
  Vec<T> r = -parts.r, u = fma(r * r, exp_polynomial<false>(r), r), one = splat(T(1));
  Vec<T> t = scale(one, parts.n, parts.k);
  auto small = t < one;
  return t / (t + (small ? u : one) + (small ? one : u));
}

template <Number T>
VITRO_INLINE T exp(T x) {
  return exp(splat(x))[0];
}
template <Number T>
VITRO_INLINE T exp2(T x) {
  return exp2(splat(x))[0];
}
template <Number T>
VITRO_INLINE T expm1(T x) {
  return expm1(splat(x))[0];
}
template <Number T>
VITRO_INLINE T sigmoid(T x) {
  return sigmoid(splat(x))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
