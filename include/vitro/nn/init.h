// Initial values of parameters, from the process's generator (manual_seed): the same seed gives the
// same model.
#pragma once

#include <initializer_list>

#include "vitro/core/tensor.h"

namespace vitro::nn {

// f32 tensors, filled in row-major order.
Tensor uniform(std::initializer_list<int64_t> sizes, double low, double high);
Tensor normal(std::initializer_list<int64_t> sizes, double mean = 0, double deviation = 1);
Tensor constant(std::initializer_list<int64_t> sizes, double value);

}  // namespace vitro::nn
