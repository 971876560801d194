// Names of ops as people write them elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace vitro::cli {

// The name that Vitro has for what PyTorch, ATen or C++ call "aten::add", "torch.add",
// "torch.ops.aten.add.Tensor" or "Add"; without its prefix where no op has it.
std::string op_name(std::string_view written);

}  // namespace vitro::cli
