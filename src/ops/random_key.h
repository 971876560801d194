// The key of random numbers that a call of an op takes: an operand, so that each call of a compiled
// function has its own.
#pragma once

#include "vitro/core/tensor.h"

namespace vitro::ops {

// The seed of the generator, and the numbers of the next streams (i64, on the host).
Tensor next_key(int streams);

}  // namespace vitro::ops
