// The element type of op bodies in eager: sixteen numbers of the compute type, with every function
// of vitro/ops/math.h.  f16 and bf16 are computed in f32, integers of up to 32 bits in i32
// (truncating on the store gives the same bits), i64 in i64.
#pragma once

#include "kernels/arc.h"
#include "kernels/convert.h"
#include "kernels/erf.h"
#include "kernels/exp.h"
#include "kernels/hyperbolic.h"
#include "kernels/integer.h"
#include "kernels/log.h"
#include "kernels/memory.h"
#include "kernels/pow.h"
#include "kernels/reduce.h"
#include "kernels/round.h"
#include "kernels/trig.h"
#include "vitro/core/functions.h"

// On machines older than AVX2 sixteen lanes are four registers or eight, and code is long: a part
// of a kernel is one function there, and elsewhere it is inlined.
#if defined(__x86_64__) && !defined(__AVX2__)
#define VITRO_LONG_CODE 1
#define VITRO_PART [[gnu::noinline]]
#else
#define VITRO_LONG_CODE 0
#define VITRO_PART [[gnu::always_inline]]
#endif

namespace vitro::eager::inline VITRO_ISA {

namespace k = vitro::kernels;
using k::f32;
using k::f64;
using k::i32;
using k::i64;

template <class T>
struct Lane;
using Truth = Lane<bool>;

template <class T>
inline constexpr bool is_real = __is_same(T, f32) || __is_same(T, f64);
template <class T>
inline constexpr bool is_truth = __is_same(T, bool);

#define VITRO_LANE [[gnu::always_inline]] friend inline
// Named by what the function does for integers, and its number of operands.
#define VITRO_LANE_own_1(name)   \
  VITRO_LANE Lane name(Lane x) { \
    return k::name(x.v);         \
  }
#define VITRO_LANE_own_2(name)           \
  VITRO_LANE Lane name(Lane a, Lane b) { \
    return k::name(a.v, b.v);            \
  }
#define VITRO_LANE_none_1(name)                \
  VITRO_PART friend inline Lane name(Lane x) { \
    return k::name(x.v);                       \
  }
#define VITRO_LANE_none_2(name)                        \
  VITRO_PART friend inline Lane name(Lane a, Lane b) { \
    return k::name(a.v, b.v);                          \
  }
#define VITRO_LANE_none_3(name)                                \
  VITRO_PART friend inline Lane name(Lane a, Lane b, Lane c) { \
    return k::name(a.v, b.v, c.v);                             \
  }
#define VITRO_LANE_same_1(name)                   \
  VITRO_LANE Lane name(Lane x) {                  \
    if constexpr (is_real<T>) x.v = k::name(x.v); \
    return x;                                     \
  }
#define VITRO_LANE_truth_1(name)                          \
  VITRO_LANE Truth name(Lane x) {                         \
    if constexpr (is_real<T>) return Truth(k::name(x.v)); \
    return Truth(0.0);                                    \
  }
#define VITRO_LANE_COMPARISON(sign, function, of_truth) \
  VITRO_LANE Truth operator sign(Lane a, Lane b) {      \
    if constexpr (is_truth<T>)                          \
      return Truth(of_truth);                           \
    else                                                \
      return Truth(k::function(a.v, b.v));              \
  }

template <class T>
struct Lane {
  k::Vec<T> v;
  Lane() = default;
  [[gnu::always_inline]] Lane(k::Vec<T> values) : v(values) {}
  [[gnu::always_inline]] Lane(double literal) : v(k::splat(static_cast<T>(literal))) {}

  VITRO_LANE Lane operator+(Lane a, Lane b) {
    if constexpr (is_truth<T>)
      return a.v | b.v;
    else
      return a.v + b.v;
  }
  VITRO_LANE Lane operator-(Lane a, Lane b) { return a.v - b.v; }
  VITRO_LANE Lane operator*(Lane a, Lane b) {
    if constexpr (is_truth<T>)
      return a.v & b.v;
    else
      return a.v * b.v;
  }
  VITRO_LANE Lane operator/(Lane a, Lane b) { return a.v / b.v; }
  VITRO_LANE Lane operator-(Lane a) { return -a.v; }
  VITRO_LANE Lane operator&(Lane a, Lane b) { return a.v & b.v; }
  VITRO_LANE Lane operator|(Lane a, Lane b) { return a.v | b.v; }
  VITRO_LANE Lane operator^(Lane a, Lane b) { return a.v ^ b.v; }
  VITRO_LANE Lane operator~(Lane a) {
    if constexpr (is_truth<T>)
      return k::not_(a.v);
    else
      return ~a.v;
  }
  VITRO_LANE Lane operator&&(Lane a, Lane b)
    requires(is_truth<T>)
  {
    return a.v & b.v;
  }
  VITRO_LANE Lane operator||(Lane a, Lane b)
    requires(is_truth<T>)
  {
    return a.v | b.v;
  }
  VITRO_LANE Lane operator!(Lane a)
    requires(is_truth<T>)
  {
    return k::not_(a.v);
  }
  VITRO_LANE_COMPARISON(==, eq, k::not_(a.v ^ b.v))
  VITRO_LANE_COMPARISON(!=, ne, a.v ^ b.v)
  VITRO_LANE_COMPARISON(<, lt, k::not_(a.v) & b.v)
  VITRO_LANE_COMPARISON(<=, le, k::not_(a.v) | b.v)
  VITRO_LANE_COMPARISON(>, gt, a.v& k::not_(b.v))
  VITRO_LANE_COMPARISON(>=, ge, a.v | k::not_(b.v))

#define VITRO_LANE_FUNCTION(name, operands, on_integers, ...) \
  VITRO_LANE_##on_integers##_##operands(name)
  VITRO_SCALAR_FUNCTIONS(VITRO_LANE_FUNCTION)
#undef VITRO_LANE_FUNCTION
  VITRO_LANE Lane lowest(Lane) {
    if constexpr (is_real<T>)
      return k::splat(T(-__builtin_inf()));
    else if constexpr (is_truth<T>)
      return k::splat(false);
    else
      return k::splat(k::least<T>);
  }
  VITRO_LANE Lane highest(Lane) {
    if constexpr (is_real<T>)
      return k::splat(T(__builtin_inf()));
    else if constexpr (is_truth<T>)
      return k::splat(true);
    else
      return k::splat(k::greatest<T>);
  }
  VITRO_LANE Lane<i64> last_index(Lane) { return k::splat(i64(__INT64_MAX__)); }
  VITRO_LANE Lane where(Truth condition, Lane a, Lane b) {
    return k::select(condition.v, a.v, b.v);
  }
  VITRO_LANE Lane like(Lane, double literal) { return Lane(literal); }
  template <class U>
  VITRO_LANE Lane like(Lane, Lane<U> other) {
    return k::convert<T>(other.v);
  }
};

#undef VITRO_LANE
#undef VITRO_LANE_own_1
#undef VITRO_LANE_own_2
#undef VITRO_LANE_none_1
#undef VITRO_LANE_none_2
#undef VITRO_LANE_none_3
#undef VITRO_LANE_same_1
#undef VITRO_LANE_truth_1
#undef VITRO_LANE_COMPARISON

}  // namespace vitro::eager::inline VITRO_ISA
