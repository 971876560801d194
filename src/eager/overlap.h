// Handles tensors that share memory.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::eager {

// Returns whether `operand` must be copied before `target` is written: they may share memory, and
// `elementwise` is false or their elements do not coincide one by one.
bool must_copy(const Tensor& operand, const Tensor& target, bool elementwise);

// Returns whether elements of the tensor may overlap, as in windows made by as_strided.
bool may_cover_itself(const Tensor& t);

// Copies in index order, so that the last of several overlapping elements wins.  Both tensors have
// the same sizes and dtype.
void copy_in_order(const Tensor& from, const Tensor& to);

}  // namespace vitro::eager
