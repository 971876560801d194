// The scalar functions: every function that the body of an op may call.  Each has the same name in
// bodies (m::exp, vitro/ops/math.h), loops (loop/function.h), kernels (src/kernels) and generated
// code, which are all made from this list.
#pragma once

namespace vitro {

// How a function treats integers and bool.
enum class OnIntegers : unsigned char {
  none,   // not defined: they are converted to floating point first
  same,   // returns them unchanged
  own,    // src/kernels has a version for them
  truth,  // the function is a predicate, and false for them
};

// f(name, operands, integers, cost, ulp of f32, ulp of f64)
//   cost: the approximate number of simple vector operations
//   ulp: the largest error in units in the last place (tests/kernels/elementary_test.cpp); for
//   quotients, before rounding to an integer
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
  f(pow, 2, own, 40, 1, 1.5)            /* integers: a negative exponent gives 0, except for bases 1 and -1 */ \
  f(fmod, 2, own, 16, 0, 0)             /* the sign of the dividend; integers: 0 if the divisor is 0 */ \
  f(remainder, 2, own, 18, 0.5, 0.5)    /* the sign of the divisor; integers: 0 if it is 0 */ \
  f(floor_div, 2, own, 12, 1, 1)        /* rounded down; integers: 0 if the divisor is 0 */ \
  f(trunc_div, 2, own, 8, 0.5, 0.5)     /* rounded towards zero; integers: 0 if the divisor is 0 */ \
  f(minimum, 2, own, 2, 0, 0)           /* NaN if either is */ \
  f(maximum, 2, own, 2, 0, 0)           /* NaN if either is */ \
  f(isnan, 1, truth, 1, 0, 0) \
  f(isinf, 1, truth, 2, 0, 0)
// clang-format on

}  // namespace vitro
