// An argument of a call by name: whatever a schema's types can hold.
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

// Nothing (None); a tensor; a number, bool or symbolic integer; text (also of a layout, a device, a
// memory format); a dtype; tensors (one that is not defined stands for None); numbers.
using ArgValue = std::variant<std::monostate, Tensor, Scalar, std::string, DType,
                              std::vector<Tensor>, std::vector<Scalar>>;

struct NamedArg {
  std::string_view name;
  ArgValue value;
};

inline bool is_none(const ArgValue& v) {
  return std::holds_alternative<std::monostate>(v);
}
// As schemas write it: 3, 0.5, True, None, [1, s0 + 1], "tanh", f16; "a Tensor" for a tensor.
// Exact: read_value gives the same value again, but for tensors.
std::string text_of(const ArgValue& value);

using SymbolNamed = std::function<sym::Expr(std::string_view)>;  // how reading finds symbols
// What the text says; nothing where it is not a value.  Symbolic integers have 0 as their hint.
std::optional<ArgValue> read_value(std::string_view text, const SymbolNamed& symbols);

// By bits, symbols as expressions; a tensor equals nothing.
bool same_value(const ArgValue& a, const ArgValue& b);

}  // namespace vitro
