// The functions that make a value: leaves, operators and the scalar functions (core/functions.h).
// One line each: name, number of operands, approximate cost in plain vector operations.
#pragma once

#include <cstdint>
#include <string_view>

#include "vitro/core/functions.h"

namespace vitro::loop {

// leaves: name, cost
#define VITRO_LOOP_LEAVES(f)                                            \
  f(constant, 0)         /* a number of the value's dtype */            \
      f(load, 1)         /* an element of a buffer */                   \
      f(index, 1)        /* an index expression as an integer */        \
      f(not_negative, 1) /* whether an index expression is 0 or more */ \
      f(number, 0)       /* a number that the call passes */            \
      f(variable, 0)     /* what a statement declared */

// operators and functions that only loops have: name, operands, cost
// clang-format off
#define VITRO_LOOP_OPERATORS(f) \
  f(load_where, 1, 1)   /* a load where the condition holds; else 0, and memory is not touched */ \
  f(cast, 1, 1)         /* to the value's dtype */ \
  f(select, 3, 1)       /* condition, then, else */ \
  f(rotate, 1, 1)       /* lane i takes lane i + by */ \
  f(first_lane, 1, 1)   /* all lanes take lane 0 */ \
  f(not_zero, 1, 1)     /* itself; a 0 is an error */ \
  f(neg, 1, 1) \
  f(not_, 1, 1) \
  f(add, 2, 1) \
  f(sub, 2, 1) \
  f(mul, 2, 1) \
  f(div, 2, 4) \
  f(lt, 2, 1) \
  f(le, 2, 1) \
  f(eq, 2, 1) \
  f(ne, 2, 1) \
  f(and_, 2, 1) \
  f(or_, 2, 1) \
  f(xor_, 2, 1) \
  f(shift_left, 2, 2) \
  f(shift_right, 2, 2) \
  f(philox, 3, 40)      /* the random word at an index (i64), of a seed and a stream */
// clang-format on

enum class Fn : uint8_t {
#define VITRO_ENUMERATE(name, ...) name,
  VITRO_LOOP_LEAVES(VITRO_ENUMERATE) VITRO_LOOP_OPERATORS(VITRO_ENUMERATE)
      VITRO_SCALAR_FUNCTIONS(VITRO_ENUMERATE)
#undef VITRO_ENUMERATE
};

struct FnInfo {
  std::string_view name;
  int operands;
  int cost;
};
const FnInfo& info(Fn fn);
// " + " for a function that is written between its two operands; empty for one that is written as a
// call.
std::string_view sign_of(Fn fn);

}  // namespace vitro::loop
