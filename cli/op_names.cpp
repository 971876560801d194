#include "op_names.h"

#include <array>

#include "vitro/base/lower_case.h"
#include "vitro/ops/overload.h"

namespace vitro::cli {
namespace {

// Prefixes of op names in other libraries, the longer first.
constexpr auto prefixes = std::to_array<std::string_view>(
    {"torch.nn.functional.", "torch.ops.aten.", "torch.special.", "torch.linalg.", "torch.Tensor.",
     "torch::", "torch.", "Tensor.", "vitro::", "aten::", "aten.", "at::", "F."});

// The op of that name, ignoring case; empty if there is none.
std::string known(std::string_view name) {
  if (!ops::overloads(name).empty()) return std::string(name);
  const std::string wanted = lower_case(name);
  for (const ops::Overload& one : ops::overloads()) {
    if (lower_case(one.schema.name) == wanted) return one.schema.name;
    if (const std::string full = one.schema.full_name(); lower_case(full) == wanted) return full;
  }
  return {};
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

}  // namespace vitro::cli
