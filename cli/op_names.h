// Names of ops as people write them elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace vitro::cli {

// The name that Vitro has for what PyTorch, ATen or C++ call "aten::add", "torch.add",
// "torch.ops.aten.add.Tensor" or "Add"; without its prefix where no op has it.
std::string op_name(std::string_view written);

// Whether C++ has a function of that name which writes its result into its first operand: "add_".
bool is_in_place(std::string_view name);

}  // namespace vitro::cli
