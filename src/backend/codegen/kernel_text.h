// One kernel as C++.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "loop/kernel.h"

namespace vitro::backend {

struct KernelText {
  std::string text;                  // of the function, its name written as `kernel_name`
  std::set<std::string_view> parts;  // of the prelude
};

// Stands for the kernel's name in its text: kernels with the same text are one.
inline constexpr std::string_view kernel_name = "KERNEL";

// With plain names, kernels that do the same have the same text.
enum class Naming : uint8_t { of_program, plain };

// `symbols`: in the order in which a call passes their values.
KernelText kernel_text(const loop::Kernel& kernel, std::span<const sym::Expr> symbols,
                       Naming naming = Naming::of_program);

}  // namespace vitro::backend
