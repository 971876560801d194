// The scalar functions: every function that the body of an op may call, by the one name that it has
// in bodies (m::exp, vitro/ops/math.h), in loops (loop/function.h), in kernels (src/kernels) and in
// generated code.  All of these are made from this list.
#pragma once

namespace vitro {

// What a function is for integers and bool.
enum class OnIntegers : unsigned char {
  none,   // not defined: they are cast before
  same,   // each stays as it is
  own,    // src/kernels has a version for them
  truth,  // the function asks something of a number; the answer is no
};

// f(name, operands, integers, cost, ulp of f32, ulp of f64)
//   cost: about as many plain vector operations
//   ulp: the largest error in units of the last place (tests/kernels/elementary_test.cpp); of a
//   quotient before it is rounded to an integer
// clang-format off
#define VITRO_SCALAR_FUNCTIONS(f) \
  f(exp, 1, none, 12, 1, 1) \
  f(exp2, 1, none, 12, 1, 1) \
  f(expm1, 1, none, 16, 1.25, 1.5) \
  f(sigmoid, 1, none, 16, 1.8, 1.8) \
  f(log, 1, none, 14, 1, 1) \
  f(log2, 1, none, 16, 1, 1) \
  f(log10, 1, none, 16, 1, 1) \
  f(log1p, 1, none, 18, 1, 1) \
  f(sqrt, 1, none, 4, 0.5, 0.5) \
  f(rsqrt, 1, none, 8, 1.5, 1.5) \
  f(sin, 1, none, 18, 1, 1) \
  f(cos, 1, none, 18, 1, 1) \
  f(tan, 1, none, 24, 1, 1.25) \
  f(asin, 1, none, 20, 1, 1.25) \
  f(acos, 1, none, 20, 1, 1) \
  f(atan, 1, none, 20, 1, 1.5) \
  f(atan2, 2, none, 24, 1, 1.75) \
  f(sinh, 1, none, 20, 1.75, 1.75) \
  f(cosh, 1, none, 20, 1.5, 1.5) \
  f(tanh, 1, none, 18, 1.5, 1.5) \
  f(asinh, 1, none, 24, 1, 1.75) \
  f(acosh, 1, none, 24, 1, 1.75) \
  f(atanh, 1, none, 24, 1, 1.9) \
  f(erf, 1, none, 20, 1.25, 1.25) \
  f(erfc, 1, none, 24, 1, 2) \
  f(fma, 3, none, 1, 0.5, 0.5) \
  f(floor, 1, same, 1, 0, 0) \
  f(ceil, 1, same, 1, 0, 0) \
  f(round, 1, same, 1, 0, 0)            /* half to even */ \
  f(trunc, 1, same, 1, 0, 0) \
  f(abs, 1, own, 1, 0, 0) \
  f(pow, 2, own, 40, 1, 1.5)            /* integers: a negative exponent gives 0 but for bases 1 and -1 */ \
  f(fmod, 2, own, 16, 0, 0)             /* the sign of the dividend; integers: 0 where the divisor is 0 */ \
  f(remainder, 2, own, 18, 0.5, 0.5)    /* the sign of the divisor; integers: 0 where it is 0 */ \
  f(floor_div, 2, own, 12, 1, 1)        /* rounded down; integers: 0 where the divisor is 0 */ \
  f(trunc_div, 2, own, 8, 0.5, 0.5)         /* rounded towards zero; integers: 0 where the divisor is 0 */ \
  f(minimum, 2, own, 2, 0, 0)           /* NaN if either is */ \
  f(maximum, 2, own, 2, 0, 0)           /* NaN if either is */ \
  f(isnan, 1, truth, 1, 0, 0) \
  f(isinf, 1, truth, 2, 0, 0)
// clang-format on

}  // namespace vitro
