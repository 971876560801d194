// The C++ source of one kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "loop/kernel.h"

namespace vitro::backend {

// Placeholder for the kernel's name, so that equal kernels have equal text.
inline constexpr std::string_view kernel_name = "KERNEL";

// With plain names, kernels with the same computation have the same text.
enum class Naming : uint8_t { of_program, plain };

// The function, named `kernel_name`.  `symbols`: in the order in which a call passes their values.
std::string kernel_text(const loop::Kernel& kernel, std::span<const sym::Expr> symbols,
                        Naming naming = Naming::of_program);

}  // namespace vitro::backend
