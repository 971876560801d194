// Python's operators and sympy's functions on numbers, as exported programs use them on sizes: the
// nodes `_operator.mul`, the heads `FloorDiv(...)` of expressions and the operators of guards.
//   const NumberOperator* mod = number_operator("_operator.mod");
//   const Scalar numbers[] = {n, 4};
//   Scalar rest = mod->apply(numbers);
// Integers may be symbolic (core/scalar.h).  Errors: overflow, division by 0, a number of a kind
// that the operator does not take.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vitro/core/scalar.h"
#include "vitro/sym/expr.h"

namespace vitro::io {

struct NumberOperator {
  // Separated by spaces; the first is the one in messages: "floordiv _operator.floordiv FloorDiv".
  std::string_view names;
  uint8_t min_arguments, max_arguments;  // 255: any number
  Scalar (*apply)(std::span<const Scalar> numbers);

  std::string_view name() const { return names.substr(0, names.find(' ')); }
  // The function that a node calls, "_operator.floordiv", and sympy's head, "FloorDiv"; empty if
  // there is none.
  std::string_view target() const;
  std::string_view head() const;
  bool takes(size_t arguments) const {
    return arguments >= min_arguments && (max_arguments == 255 || arguments <= max_arguments);
  }
};

// Null if there is none of that name.
const NumberOperator* number_operator(std::string_view name);
// The operator of a sum, a product and so on.  Error: a constant or a symbol.
const NumberOperator& number_operator(sym::Kind kind);

}  // namespace vitro::io
