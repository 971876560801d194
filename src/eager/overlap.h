// Memory that tensors share.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::eager {

// Whether `operand` must be copied before `target` is written: they share memory, and `elementwise`
// is false or their elements do not lie on each other one by one.
bool must_copy(const Tensor& operand, const Tensor& target, bool elementwise);

// Whether some elements of the tensor may be the same memory: a window that as_strided made.
bool may_cover_itself(const Tensor& t);

// In order of the indices, so that of elements that are the same memory the last one stays.  Both
// have the same sizes and dtype.
void copy_in_order(const Tensor& from, const Tensor& to);

}  // namespace vitro::eager
