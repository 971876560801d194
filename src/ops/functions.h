// Functions that are written with ops and can be called by ATen's names.
#pragma once

#include <span>
#include <string_view>

#include "vitro/ops/overload.h"

namespace vitro::ops {

struct NamedFunction {
  std::string_view name, doc;
  std::string_view signatures;  // as in a definition of an op
  Function call;
};
std::span<const NamedFunction> functions();
// Activation functions, losses, norms and distances, linear algebra.
std::span<const NamedFunction> neural_functions();
// Elementwise functions, and functions that move, count or create elements.
std::span<const NamedFunction> array_functions();
// Convolutions.
std::span<const NamedFunction> layer_functions();
// Random numbers and dropout.
std::span<const NamedFunction> random_functions();

}  // namespace vitro::ops
