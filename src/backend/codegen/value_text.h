// Values as C++ expressions on vectors.
#pragma once

#include <string>
#include <string_view>

#include "loop/value.h"

namespace vitro::backend {

// "f32", "bool".
std::string_view type_text(DType dtype);
// "Vec<f32>"; for bf16, "Bf16Vec".
std::string vector_type_text(DType dtype);
// splat(...) of a constant.
std::string constant_text(const loop::Node* node);

// Applies a function to the texts of its operands.  Sets `is_operator` if the result is an operator
// expression, which needs parentheses as an operand.
std::string function_text(const loop::Node* node, const std::vector<std::string>& operands,
                          bool* is_operator);

}  // namespace vitro::backend
