// The vocabulary of bodies: the scalar functions (core/functions.h), m::where(c, a, b), and the
// operators + - * / < <= > >= == != && || ! & | ^ ~. Each m:: function calls the function of that
// name in the namespace of the argument's type (a vector of numbers, a loop expression, a counter,
// a tensor), so a body runs on all of them. A literal takes the type of the other operand; a
// comparison returns the bool type of the consumer.
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
VITRO_MATHS_1(lowest)      // the smallest value of x's type (-inf if it has one)
VITRO_MATHS_1(highest)     // the largest
VITRO_MATHS_1(last_index)  // the largest i64, for each element of x
// like(x, a): converts `a`, a literal or a value of any type, to the type of x.
VITRO_MATHS_2(like)
// Both a and b are computed. At least one of them must not be a literal.
VITRO_MATHS_3(where)
// philox(index, seed, stream), all i64, the last two without a dimension: random_word() of
// core/generator.h.
VITRO_MATHS_3(philox)

#undef VITRO_MATHS_1
#undef VITRO_MATHS_2
#undef VITRO_MATHS_3

}  // namespace vitro::m
