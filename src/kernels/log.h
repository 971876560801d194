// log and related functions: x = 2^e (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), and a
// polynomial for log(1 + f).
#pragma once
#include "kernels/polynomial.h"

namespace vitro::kernels::inline VITRO_ISA {

template <class T>
struct LogParts {
  Vec<T> e, f;
};

template <class T>
VITRO_INLINE LogParts<T> log_parts(Vec<T> x) {
  constexpr T smallest = single<T> ? T(0x1p-126) : T(0x1p-1022),
              up = single<T> ? T(0x1p24) : T(0x1p53);
  auto tiny = x < smallest;
  Vec<Bits<T>> root = bits(splat(T(0.70710678118654752)));
  Vec<Bits<T>> u = bits(tiny ? x * up : x) - root, e = u >> mantissa<T>;
  Vec<T> f = from_bits<T>(u - (e << mantissa<T>)+root) - T(1);
  Vec<T> n = from_bits<T>(e + bits(splat(magic<T>))) -
             (tiny ? splat(magic<T> + T(mantissa<T> + 1)) : splat(magic<T>));
  return {n, f};
}

// log(1 + f) - f, for the f of log_parts.
template <class T>
VITRO_INLINE Vec<T> log1p_tail(Vec<T> f) {
  if constexpr (single<T>) {
    Vec<T> p = horner(f, 0.07341387f, -0.11662561f, 0.11632339f, -0.12396162f, 0.14251375f,
                      -0.16669184f, 0.2000068f, -0.2499998f, 0.3333333f);
    return f * f * fma(f, p, splat(-0.5f));
  } else {
    Vec<T> s = f / (f + 2.0), z = s * s, half = f * f * 0.5;
    Vec<T> p =
        horner(z, 0.14617257262894717, 0.15331653915075383, 0.1818289119384998, 0.2222221110734989,
               0.2857142862611378, 0.39999999999899455, 0.666666666666667);
    return fma(s, fma(z, p, half), -half);
  }
}

// e ln 2 + log(1 + f) + c.
template <class T>
VITRO_INLINE Vec<T> log_sum(LogParts<T> parts, Vec<T> c) {
  constexpr T ln2 = single<T> ? T(0x1.62e4p-1) : T(0x1.62e42fee00000p-1);  // e * ln2 is exact
  constexpr T ln2_low = single<T> ? T(1.4286068203094173e-06) : T(1.9082149292705877e-10);
  return fma(parts.e, splat(ln2),
             parts.f + (log1p_tail(parts.f) + fma(parts.e, splat(ln2_low), c)));
}

// `y` if x > 0 is finite, otherwise the special case that all logarithms share.
template <class T>
VITRO_INLINE Vec<T> log_ends(Vec<T> x, Vec<T> y) {
  y = (x < infinity<T>) ? y : x;
  y = (x == T(0)) ? splat(-infinity<T>) : y;
  return (x < T(0)) ? splat(not_a_number<T>) : y;
}

template <class T>
VITRO_INLINE Vec<T> log(Vec<T> x) {
  return log_ends(x, log_sum(log_parts(x), Vec<T>{}));
}

// log(1 + x), precise near zero. `low` is a small number that extends the precision of x.
template <class T>
VITRO_INLINE Vec<T> log1p(Vec<T> x, Vec<T> low) {
  constexpr T tiny = single<T> ? T(0x1p-25) : T(0x1p-54);
  Vec<T> u = x + T(1);
  Vec<T> lost = (x > T(1)) ? T(1) - (u - x) : x - (u - T(1));
  Vec<T> y = log_ends(u, log_sum(log_parts(u), (lost + low) / u));
  return (abs(x) < tiny) ? x : y;
}

template <class T>
VITRO_INLINE Vec<T> log1p(Vec<T> x) {
  return log1p(x, nothing<T>());
}

// (e ln 2 + log(1 + f)) * factor, as e * octave + ...; the `_low` numbers are the rounding errors
// of the others.
VITRO_INLINE Vec<f64> log_to_base(LogParts<f64> parts, f64 factor, f64 factor_low, f64 octave,
                                  f64 octave_low) {
  Vec<f64> f = parts.f, s = f / (f + 2.0), z = s * s, half = f * f * 0.5;
  Vec<f64> p =
      horner(z, 0.14617257262894717, 0.15331653915075383, 0.1818289119384998, 0.2222221110734989,
             0.2857142862611378, 0.39999999999899455, 0.666666666666667);
  Vec<f64> high = f - half, low = (f - high - half) + s * fma(z, p, half);
  Vec<f64> y = high * factor;
  Vec<f64> rest = fma(high, splat(factor), -y) + fma(low, splat(factor), high * factor_low) +
                  parts.e * octave_low;
  Vec<f64> integer_part = parts.e * octave, sum = integer_part + y;
  return sum + ((integer_part - sum) + y + rest);
}

VITRO_INLINE Vec<f64> log2(Vec<f64> x) {
  Vec<f64> y = log_to_base(log_parts(x), 1.4426950408889634, 2.0355273740931033e-17, 1.0, 0.0);
  return log_ends(x, y);
}
VITRO_INLINE Vec<f64> log10(Vec<f64> x) {
  Vec<f64> y = log_to_base(log_parts(x), 0.4342944819032518, 1.098319650216765e-17,
                           0x1.34413509f7000p-2, 1.42050232272661e-13);
  return log_ends(x, y);
}
VITRO_INLINE Vec<f32> log2(Vec<f32> x) {
  return __builtin_convertvector(log2(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}
VITRO_INLINE Vec<f32> log10(Vec<f32> x) {
  return __builtin_convertvector(log10(__builtin_convertvector(x, Vec<f64>)), Vec<f32>);
}

template <Number T>
VITRO_INLINE T log(T x) {
  return log(splat(x))[0];
}
template <Number T>
VITRO_INLINE T log1p(T x) {
  return log1p(splat(x))[0];
}
template <Number T>
VITRO_INLINE T log2(T x) {
  return log2(splat(x))[0];
}
template <Number T>
VITRO_INLINE T log10(T x) {
  return log10(splat(x))[0];
}

}  // namespace vitro::kernels::inline VITRO_ISA
