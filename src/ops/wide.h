// Programs that round once: f16 and bf16 are computed in f32.
#pragma once

#include <initializer_list>
#include <string_view>

#include "vitro/ops/define.h"

namespace vitro::ops {

void check_floating(std::string_view op, const Tensor& x);
// x in its compute type. Error naming `op` unless it is floating-point.
Tensor widened(std::string_view op, const At& x);
// The same without the check; undefined if x is.
Tensor widened(const Tensor& x);

// The largest finite number of a floating-point dtype.
double largest(DType dtype);

// The dtype to which the operands are promoted.
DType result_type(std::initializer_list<const Operand*> operands);

}  // namespace vitro::ops
