// An argument of a call by name: whatever a schema's types can hold.
#pragma once

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
// "a Tensor", "3", "[1, 2]", "None", ...: for messages.
std::string text_of(const ArgValue& value);

}  // namespace vitro
