// The value of a named argument of a call: anything that the types of a schema can hold.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vitro/core/dtype.h"
#include "vitro/core/scalar.h"
#include "vitro/core/tensor.h"

namespace vitro {

// None; a tensor; a number, bool or symbolic integer; a string (also for a layout, a device or a
// memory format); a dtype; a list of tensors (an undefined one stands for None); a list of numbers.
using ArgValue = std::variant<std::monostate, Tensor, Scalar, std::string, DType,
                              std::vector<Tensor>, std::vector<Scalar>>;

struct NamedArg {
  std::string_view name;
  ArgValue value;
};

inline bool is_none(const ArgValue& v) {
  return std::holds_alternative<std::monostate>(v);
}
// In the syntax of schemas: 3, 0.5, True, None, [1, s0 + 1], "tanh", f16; "a Tensor" for a tensor.
// Exact: read_value returns the same value, except for tensors.
std::string text_of(const ArgValue& value);

using SymbolNamed = std::function<sym::Expr(std::string_view)>;  // looks up a symbol
// Parses a value in that syntax; nullopt if `text` is not one.  Symbolic integers get the hint 0.
std::optional<ArgValue> read_value(std::string_view text, const SymbolNamed& symbols);

// Compares numbers by bits, symbols as expressions.  A tensor equals nothing, not even itself.
bool same_value(const ArgValue& a, const ArgValue& b);

}  // namespace vitro
