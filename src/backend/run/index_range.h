// Whether all elements of a tensor are indices of a dimension.
#pragma once

#include <cstdint>

#include "vitro/core/tensor.h"

namespace vitro::backend {

// Whether each element of the integers is at least 0, or if negative ones count from the end
// -bound, and below the bound.  Also false if it is not known: on a device, and if finding out
// would mean to read much more than the elements.
bool are_in_range(const TensorImpl& indices, int64_t bound, bool wraps);

}  // namespace vitro::backend
