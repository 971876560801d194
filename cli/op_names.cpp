#include "op_names.h"

#include <algorithm>
#include <array>

#include "vitro/base/lower_case.h"
#include "vitro/ops/overload.h"

namespace vitro::cli {
namespace {

// What stands in front of an op's name elsewhere, the longer first.
constexpr auto prefixes = std::to_array<std::string_view>(
    {"torch.nn.functional.", "torch.ops.aten.", "torch.special.", "torch.linalg.", "torch.Tensor.",
     "torch::", "torch.", "Tensor.", "vitro::", "aten::", "aten.", "at::", "F."});

// The functions of include/vitro/ops that write into their first operand.
constexpr auto in_place = std::to_array<std::string_view>(
    {"abs_",         "acos_",        "acosh_",      "add_",          "asin_",        "asinh_",
     "atan2_",       "atan_",        "atanh_",      "bitwise_and_",  "bitwise_not_", "bitwise_or_",
     "bitwise_xor_", "ceil_",        "clamp_",      "copy_",         "cos_",         "cosh_",
     "div_",         "eq_",          "erf_",        "erfc_",         "exp2_",        "exp_",
     "expm1_",       "fill_",        "floor_",      "floor_divide_", "fmod_",        "ge_",
     "gt_",          "le_",          "log10_",      "log1p_",        "log2_",        "log_",
     "logical_and_", "logical_not_", "logical_or_", "logical_xor_",  "lt_",          "masked_fill_",
     "maximum_",     "minimum_",     "mul_",        "ne_",           "neg_",         "pow_",
     "reciprocal_",  "relu_",        "remainder_",  "round_",        "rsqrt_",       "sigmoid_",
     "sign_",        "silu_",        "sin_",        "sinh_",         "sqrt_",        "sub_",
     "tan_",         "tanh_",        "trunc_",      "trunc_divide_", "zero_"});

// The op of that name in any case; empty where there is none.
std::string known(std::string_view name) {
  if (!ops::overloads(name).empty()) return std::string(name);
  const std::string wanted = lower_case(name);
  for (const ops::Overload& one : ops::overloads()) {
    if (lower_case(one.schema.name) == wanted) return one.schema.name;
    if (const std::string full = one.schema.full_name(); lower_case(full) == wanted) return full;
  }
  return is_in_place(wanted) ? wanted : std::string();
}

}  // namespace

std::string op_name(std::string_view written) {
  if (std::string name = known(written); !name.empty()) return name;
  for (const std::string_view prefix : prefixes) {
    if (!lower_case(written).starts_with(lower_case(prefix))) continue;
    written.remove_prefix(prefix.size());
    break;
  }
  std::string name = known(written);
  return name.empty() ? std::string(written) : name;
}

bool is_in_place(std::string_view name) {
  return std::ranges::find(in_place, name) != in_place.end();
}

}  // namespace vitro::cli
