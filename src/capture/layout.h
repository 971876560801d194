// Copies between layouts, on the host.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::capture {

// Both have the same dtype and sizes.
void copy_elements(const Tensor& from, const Tensor& to);
// A copy in new memory, with these strides.
Tensor copy_with_strides(const Tensor& from, const Ints& strides);

}  // namespace vitro::capture
