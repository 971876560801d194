// One kernel as C++.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "loop/kernel.h"

namespace vitro::backend {

// Stands for the kernel's name in its text: kernels with the same text are one.
inline constexpr std::string_view kernel_name = "KERNEL";

// With plain names, kernels that do the same have the same text.
enum class Naming : uint8_t { of_program, plain };

// The function, its name written as `kernel_name`.  `symbols`: in the order in which a call passes
// their values.
std::string kernel_text(const loop::Kernel& kernel, std::span<const sym::Expr> symbols,
                        Naming naming = Naming::of_program);

}  // namespace vitro::backend
