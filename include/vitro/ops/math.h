// What a body may say about elements: m::exp(x), m::where(c, a, b), and the operators + - * / < <=
// > >= == != && || ! & | ^ ~. Each word finds the function of that name in the namespace of the
// argument's type (a vector of numbers, a loop expression, a counter), so a body runs on all of
// them.  A literal takes the type of the other side; a comparison gives that consumer's truth
// value.
#pragma once

namespace vitro::m {

#define VITRO_MATHS_1(name)  \
  namespace adl {            \
  auto call_##name(auto x) { \
    return name(x);          \
  }                          \
  }                          \
  inline constexpr auto name = [](auto x) { return adl::call_##name(x); };
#define VITRO_MATHS_2(name)          \
  namespace adl {                    \
  auto call_##name(auto a, auto b) { \
    return name(a, b);               \
  }                                  \
  }                                  \
  inline constexpr auto name = [](auto a, auto b) { return adl::call_##name(a, b); };
#define VITRO_MATHS_3(name)                  \
  namespace adl {                            \
  auto call_##name(auto a, auto b, auto c) { \
    return name(a, b, c);                    \
  }                                          \
  }                                          \
  inline constexpr auto name = [](auto a, auto b, auto c) { return adl::call_##name(a, b, c); };

// Floating point only.
VITRO_MATHS_1(exp)
VITRO_MATHS_1(exp2)
VITRO_MATHS_1(expm1)
VITRO_MATHS_1(log)
VITRO_MATHS_1(log2)
VITRO_MATHS_1(log10)
VITRO_MATHS_1(log1p)
VITRO_MATHS_1(sqrt)
VITRO_MATHS_1(rsqrt)
VITRO_MATHS_1(sin)
VITRO_MATHS_1(cos)
VITRO_MATHS_1(tan)
VITRO_MATHS_1(asin)
VITRO_MATHS_1(acos)
VITRO_MATHS_1(atan)
VITRO_MATHS_1(sinh)
VITRO_MATHS_1(cosh)
VITRO_MATHS_1(tanh)
VITRO_MATHS_1(asinh)
VITRO_MATHS_1(acosh)
VITRO_MATHS_1(atanh)
VITRO_MATHS_1(erf)
VITRO_MATHS_1(sigmoid)
VITRO_MATHS_2(atan2)
VITRO_MATHS_3(fma)
// Floating point and whole numbers (rounding leaves a whole number as it is).
VITRO_MATHS_1(abs)
VITRO_MATHS_1(isnan)       // false for a whole number
VITRO_MATHS_1(isinf)       // false for a whole number
VITRO_MATHS_1(lowest)      // the least value of x's type (-inf where there is one)
VITRO_MATHS_1(highest)     // the greatest
VITRO_MATHS_1(last_index)  // the greatest i64, for each element of x
VITRO_MATHS_1(floor)
VITRO_MATHS_1(ceil)
VITRO_MATHS_1(round)  // half to even
VITRO_MATHS_1(trunc)
VITRO_MATHS_2(
    pow)  // whole numbers: by repeated squaring; a negative exponent gives 0 but for bases 1 and -1
VITRO_MATHS_2(fmod)       // the sign of the dividend
VITRO_MATHS_2(remainder)  // the sign of the divisor
VITRO_MATHS_2(floor_div)  // rounded down; whole numbers: 0 where the divisor is 0
VITRO_MATHS_2(trunc_div)  // rounded towards zero
VITRO_MATHS_2(minimum)    // NaN if either is
VITRO_MATHS_2(maximum)
// like(x, a): `a`, a literal or a value of any type, as a value of x's type.
VITRO_MATHS_2(like)
// Both sides are computed; one is chosen.  At least one of a and b is not a literal.
VITRO_MATHS_3(where)

#undef VITRO_MATHS_1
#undef VITRO_MATHS_2
#undef VITRO_MATHS_3

}  // namespace vitro::m
