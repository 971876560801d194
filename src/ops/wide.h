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

// Error of `op` if the dtype cannot hold the number: it is outside of its range, or NaN for
// integers. Infinity fits floating-point dtypes, any number bool, and u8 holds -n as 256 - n, as in
// PyTorch.
void check_holds(std::string_view op, DType dtype, const Scalar& number);

// Error of sub if the operand is bool, for which subtraction is not defined.
void check_subtracted(const Operand& operand);

// The dtype to which the operands are promoted.
DType result_type(std::initializer_list<const Operand*> operands);

}  // namespace vitro::ops
