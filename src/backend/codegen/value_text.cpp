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

std::string whole_text(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return "-9223372036854775807 - 1";
  return cat(value);
}

// Functions whose name is that of the prelude: the part that has them.
std::string_view part_of(Fn fn) {
  switch (fn) {
    case Fn::exp:
    case Fn::exp2:
    case Fn::expm1:
    case Fn::sigmoid:
      return "exp";
    case Fn::log:
    case Fn::log2:
    case Fn::log10:
    case Fn::log1p:
      return "log";
    case Fn::sin:
    case Fn::cos:
    case Fn::tan:
      return "trig";
    case Fn::asin:
    case Fn::acos:
    case Fn::atan:
    case Fn::atan2:
      return "arc";
    case Fn::sinh:
    case Fn::cosh:
    case Fn::tanh:
    case Fn::asinh:
    case Fn::acosh:
    case Fn::atanh:
      return "hyperbolic";
    case Fn::erf:
    case Fn::erfc:
      return "erf";
    case Fn::floor:
    case Fn::ceil:
    case Fn::round:
    case Fn::trunc:
    case Fn::sqrt:
    case Fn::rsqrt:
      return "round";
    case Fn::shift_left:
    case Fn::shift_right:
      return "integer";
    default:
      return "vector";
  }
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

// Functions that have another name for whole numbers than for floating point.
std::string division(const Node* node, const std::vector<std::string>& o,
                     std::set<std::string_view>& parts) {
  const bool real = is_floating(node->dtype);
  parts.insert(real ? (node->fn == Fn::pow ? "pow" : "round") : "integer");
  switch (node->fn) {
    case Fn::pow:
      if (is_bool(node->dtype)) return cat(o[0], " | not_(", o[1], ")");
      return call(real ? "pow" : "whole_power", o);
    case Fn::fmod:
      return call(real ? "fmod" : "rem_trunc", o);
    case Fn::remainder:
      return call(real ? "remainder" : "rem_floor", o);
    case Fn::floor_div:
      return call(real ? "floor_divide" : "div_floor", o);
    default:
      return real ? cat("trunc(", o[0], " / ", o[1], ")") : call("div_trunc", o);
  }
}

// Shifts and comparisons are functions there: they give a Mask, or are defined for every input.
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
               whole_text(static_cast<int64_t>(node->payload)), "))");
  }
  const std::string number = floating_text(std::bit_cast<double>(node->payload), node->dtype);
  if (node->dtype == DType::f32 || node->dtype == DType::f64) return cat("splat(", number, ")");
  return cat("convert<", type_text(node->dtype), ">(splat(", number, "))");
}

std::string function_text(const Node* node, const std::vector<std::string>& o, bool* is_operator,
                          std::set<std::string_view>& parts) {
  *is_operator = false;
  if (is_written_with_sign(node->fn)) {
    *is_operator = true;
    return cat(o[0], sign_of(node->fn), o[1]);
  }
  switch (node->fn) {
    case Fn::cast:
      parts.insert("convert");
      return cat("convert<", type_text(node->dtype), ">(", o[0], ")");
    case Fn::rotate:
      parts.insert("reduce");
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
    case Fn::is_inf:
      return cat("eq(abs(", o[0], "), splat(",
                 node->operands[0]->dtype == DType::f64 ? "__builtin_inf()" : "__builtin_inff()",
                 "))");
    case Fn::pow:
    case Fn::fmod:
    case Fn::remainder:
    case Fn::floor_div:
    case Fn::trunc_div:
      return division(node, o, parts);
    default:
      break;
  }
  parts.insert(part_of(node->fn));
  return call(info(node->fn).name, o);
}

}  // namespace vitro::backend
