// The bytes of a tensor's elements as those of another dtype, in new memory.
#pragma once

#include "vitro/ops/define.h"

namespace vitro::ops {

// As view(x, dtype), for graphs: values there have no memory that could be viewed.
Tensor view_copy_as(At x, DType dtype);

}  // namespace vitro::ops
