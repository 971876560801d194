// Initial values of parameters, from the process's generator (manual_seed): the same seed gives the
// same model.
#pragma once

#include "vitro/core/attributes.h"
#include "vitro/core/tensor.h"

namespace vitro::nn {

// f32 tensors, filled in row-major order.
Tensor uniform(DimsArg sizes, double low, double high);
Tensor normal(DimsArg sizes, double mean = 0, double deviation = 1);
Tensor constant(DimsArg sizes, double value);

}  // namespace vitro::nn
