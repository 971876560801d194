// Op names as written in other libraries.
#pragma once

#include <string>
#include <string_view>

namespace vitro::cli {

// Vitro's name for what PyTorch, ATen or C++ call "aten::add", "torch.add",
// "torch.ops.aten.add.Tensor" or "Add"; without its prefix if there is no such op.
std::string op_name(std::string_view written);

}  // namespace vitro::cli
