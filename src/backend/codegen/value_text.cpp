// Prints constants, types and function calls of loop values as C++; used by the emitter for single
// nodes.
#include "backend/codegen/value_text.h"

#include <bit>
#include <cmath>
#include <limits>

#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Fn;
using loop::Node;

std::string floating_text(double value, DType dtype) {
  const bool is_double = dtype == DType::f64;
  if (std::isnan(value)) return is_double ? "__builtin_nan(\"\")" : "__builtin_nanf(\"\")";
  if (std::isinf(value)) {
    return cat(value < 0 ? "-" : "", is_double ? "__builtin_inf()" : "__builtin_inff()");
  }
  if (is_double) return cat(value);
  return cat(static_cast<float>(value), "f");
}

std::string integer_text(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return "-9223372036854775807 - 1";
  return cat(value);
}

std::string call(std::string_view name, const std::vector<std::string>& operands) {
  std::string out(name);
  out += "(";
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) out += ", ";
    out += operands[i];
  }
  return out + ")";
}

std::string comparison(Fn fn, bool of_bool, const std::vector<std::string>& o, bool* is_operator) {
  if (!of_bool) return call(info(fn).name, o);
  *is_operator = true;
  switch (fn) {
    case Fn::eq:
      return cat("not_(", o[0], " ^ ", o[1], ")");
    case Fn::ne:
      return cat(o[0], " ^ ", o[1]);
    case Fn::lt:
      return cat("not_(", o[0], ") & ", o[1]);
    default:
      return cat("not_(", o[0], ") | ", o[1]);
  }
}

// Shifts and comparisons are functions of the prelude: a comparison returns a Mask, and shifts are
// defined for every input.
bool is_written_with_sign(Fn fn) {
  return !sign_of(fn).empty() && fn != Fn::lt && fn != Fn::le && fn != Fn::eq && fn != Fn::ne &&
         fn != Fn::shift_left && fn != Fn::shift_right;
}

}  // namespace

std::string_view type_text(DType dtype) {
  return vitro::name_of(dtype);
}

std::string vector_type_text(DType dtype) {
  if (dtype == DType::bf16) return "Bf16Vec";
  return cat("Vec<", type_text(dtype), ">");
}

std::string constant_text(const Node* node) {
  if (is_bool(node->dtype)) return node->payload ? "splat(true)" : "splat(false)";
  if (!is_floating(node->dtype)) {
    return cat("splat(", type_text(node->dtype), "(",
               integer_text(static_cast<int64_t>(node->payload)), "))");
  }
  const std::string number = floating_text(std::bit_cast<double>(node->payload), node->dtype);
  if (node->dtype == DType::f32 || node->dtype == DType::f64) return cat("splat(", number, ")");
  return cat("convert<", type_text(node->dtype), ">(splat(", number, "))");
}

std::string function_text(const Node* node, const std::vector<std::string>& o, bool* is_operator) {
  *is_operator = false;
  if (is_written_with_sign(node->fn)) {
    *is_operator = true;
    return cat(o[0], sign_of(node->fn), o[1]);
  }
  switch (node->fn) {
    case Fn::cast:
      return cat("convert<", type_text(node->dtype), ">(", o[0], ")");
    case Fn::rotate:
      return cat("rotate<", node->payload, ">(", o[0], ")");
    case Fn::first_lane:
      return cat("splat(lane0(", o[0], "))");
    case Fn::neg:
      *is_operator = true;
      return cat("-", o[0]);
    case Fn::not_:
      if (is_bool(node->dtype)) return call("not_", o);
      *is_operator = true;
      return cat("~", o[0]);
    case Fn::lt:
    case Fn::le:
    case Fn::eq:
    case Fn::ne:
      return comparison(node->fn, is_bool(node->operands[0]->dtype), o, is_operator);
    default:
      break;
  }
  return call(info(node->fn).name, o);
}

}  // namespace vitro::backend
