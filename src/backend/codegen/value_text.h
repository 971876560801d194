// Values as C++ on vectors of sixteen lanes.
#pragma once

#include <string>
#include <string_view>

#include "loop/value.h"

namespace vitro::backend {

// "f32", "bool".
std::string_view type_text(DType dtype);
// "Vec<f32>"; of bf16 "Bf16Vec".
std::string vector_type_text(DType dtype);
// splat(...) of a constant.
std::string constant_text(const loop::Node* node);

// A function applied to texts of its operands.  `is_operator` is set if the text is
// an infix expression, which needs parentheses as an operand.
std::string function_text(const loop::Node* node, const std::vector<std::string>& operands,
                          bool* is_operator);

}  // namespace vitro::backend
