// Tensors as matrices or batches of them: the last two dimensions are rows and columns.
#pragma once

#include <string_view>

#include "ops/value.h"

namespace vitro::ops {

Value transposed(const Tensor& x);
// Of complex matrices with the complex conjugates; of real ones the transposed.
Value adjoint(const Tensor& x);

// Check the sizes of an operand of `op`; Errors name the sizes.
void check_matrices(std::string_view op, const Sizes& sizes);
void check_square(std::string_view op, const Sizes& sizes);

}  // namespace vitro::ops
