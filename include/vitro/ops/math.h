// What a body may say about elements: the scalar functions (core/functions.h), m::where(c, a, b),
// and the operators + - * / < <= > >= == != && || ! & | ^ ~. Each word finds the function of that
// name in the namespace of the argument's type (a vector of numbers, a loop expression, a counter,
// a tensor), so a body runs on all of them.  A literal takes the type of the other side; a
// comparison gives that consumer's truth value.
#pragma once

#include "vitro/core/functions.h"

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

#define VITRO_MATHS(name, operands, ...) VITRO_MATHS_##operands(name)
VITRO_SCALAR_FUNCTIONS(VITRO_MATHS)
#undef VITRO_MATHS
VITRO_MATHS_1(lowest)      // the least value of x's type (-inf where there is one)
VITRO_MATHS_1(highest)     // the greatest
VITRO_MATHS_1(last_index)  // the greatest i64, for each element of x
// like(x, a): `a`, a literal or a value of any type, as a value of x's type.
VITRO_MATHS_2(like)
// Both sides are computed; one is chosen.  At least one of a and b is not a literal.
VITRO_MATHS_3(where)

#undef VITRO_MATHS_1
#undef VITRO_MATHS_2
#undef VITRO_MATHS_3

}  // namespace vitro::m
