// The heads of an attention, which are stretches of the last dimension.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::models {

// [batch, length, heads * width] as [batch, heads, length, width], and back.
Tensor split_heads(const Tensor& x, int64_t heads);
Tensor join_heads(const Tensor& x);

}  // namespace vitro::models
