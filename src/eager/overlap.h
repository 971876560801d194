// Memory that tensors share.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::eager {

// Whether `operand` must be copied before `target` is written: they share memory, and `elementwise`
// is false or their elements do not lie on each other one by one.
bool must_copy(const Tensor& operand, const Tensor& target, bool elementwise);

}  // namespace vitro::eager
