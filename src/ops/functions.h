// Functions that are written with ops and can be called by ATen's names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vitro/ops/overload.h"

namespace vitro::ops {

// The arguments of functions that create tensors, in a schema.
#define VITRO_OPTIONS_OF(dtype)                                   \
  "*, ScalarType? dtype=" dtype                                   \
  ", Layout? layout=None, Device? device=None, bool? pin_memory=" \
  "None"
#define VITRO_OPTIONS VITRO_OPTIONS_OF("None")
#define VITRO_OPTIONS_I64 VITRO_OPTIONS_OF("4")  // DType::i64
using Layout = std::optional<std::string>;
// Error of `op` unless the layout is strided, or none.
void check_layout(std::string_view op, const Layout& layout);

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
// Decompositions of matrices.
std::span<const NamedFunction> decomposition_functions();
// Convolutions.
std::span<const NamedFunction> layer_functions();
// Random numbers and dropout.
std::span<const NamedFunction> random_functions();
// Functions of layout.h, statistics.h and special.h, and further overloads.
std::span<const NamedFunction> more_functions();
// Special functions.
std::span<const NamedFunction> special_functions();
// Complex tensors, Fourier transforms, windows.
std::span<const NamedFunction> complex_functions();
// Functions that exported programs call besides.
std::span<const NamedFunction> exported_functions();
// Functions whose result is a number.
std::span<const NamedFunction> number_functions();
// Other names of ops and functions: ATen's overloads of `name` are those of `function`.
struct OtherName {
  std::string_view name, function;
};
std::span<const OtherName> other_names();

}  // namespace vitro::ops
