// What a value can be made with.  One line per function: what it is called, how many operands it
// takes, roughly what it costs in plain vector operations.
#pragma once

#include <cstdint>
#include <string_view>

namespace vitro::loop {

// leaves: name, cost
#define VITRO_LOOP_LEAVES(f)                                     \
  f(constant, 0)     /* a number of the value's dtype */         \
      f(load, 1)     /* an element of a buffer */                \
      f(index, 1)    /* an index expression as a whole number */ \
      f(number, 0)   /* a number that the call passes */         \
      f(variable, 0) /* what a statement declared */

// functions: name, operands, cost
#define VITRO_LOOP_FUNCTIONS(f)                                                                    \
  f(cast, 1, 1)           /* to the value's dtype */                                               \
      f(select, 3, 1)     /* condition, then, else */                                              \
      f(rotate, 1, 1)     /* lane i takes lane i + by */                                           \
      f(first_lane, 1, 1) /* all lanes take lane 0 */                                              \
      f(not_zero, 1, 1)   /* itself; a 0 is an error */                                            \
      f(neg, 1, 1) f(not_, 1, 1) f(abs, 1, 1) f(add, 2, 1) f(sub, 2, 1) f(mul, 2, 1) f(div, 2, 4)  \
          f(lt, 2, 1) f(le, 2, 1) f(eq, 2, 1) f(ne, 2, 1) f(and_, 2, 1) f(or_, 2, 1) f(xor_, 2, 1) \
              f(shift_left, 2, 2) f(shift_right, 2, 2) f(exp, 1, 12) f(exp2, 1, 12)                \
                  f(expm1, 1, 16) f(log, 1, 14) f(log2, 1, 16) f(log10, 1, 16) f(log1p, 1, 18)     \
                      f(sqrt, 1, 4) f(rsqrt, 1, 8) f(sigmoid, 1, 16) f(sin, 1, 18) f(cos, 1, 18)   \
                          f(tan, 1, 24) f(asin, 1, 20) f(acos, 1, 20) f(atan, 1, 20)               \
                              f(sinh, 1, 20) f(cosh, 1, 20) f(tanh, 1, 18) f(asinh, 1, 24)         \
                                  f(acosh, 1, 24) f(atanh, 1, 24) f(erf, 1, 20) f(erfc, 1, 24)     \
                                      f(atan2, 2, 24) f(pow, 2, 40) f(floor, 1, 1) f(ceil, 1, 1)   \
                                          f(round, 1, 1) f(trunc, 1, 1) f(is_nan, 1, 1)            \
                                              f(is_inf, 1, 2) f(fma, 3, 1) f(fmod, 2, 16)          \
                                                  f(remainder, 2, 18) f(floor_div, 2, 12)          \
                                                      f(trunc_div, 2, 8)                           \
                                                          f(minimum, 2, 2) /* NaN if either is */  \
      f(maximum, 2, 2)

enum class Fn : uint8_t {
#define VITRO_ENUMERATE(name, ...) name,
  VITRO_LOOP_LEAVES(VITRO_ENUMERATE) VITRO_LOOP_FUNCTIONS(VITRO_ENUMERATE)
#undef VITRO_ENUMERATE
};

struct FnInfo {
  std::string_view name;
  int operands;
  int cost;
};
const FnInfo& info(Fn fn);
// " + " for a function that is written between its two operands; empty for one that is called.
std::string_view sign_of(Fn fn);

}  // namespace vitro::loop
