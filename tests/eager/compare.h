// Compares tensors with results of samples, and with other tensors. A comparison returns how they
// differ as a phrase; empty if they do not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "op_samples.h"
#include "vitro/core/tensor.h"

namespace vitro::test {

// In row-major order.
std::vector<std::byte> elements_of(const Tensor& t);

// The dtype, the sizes, the offset if the result has one, and the strides if they are wanted.
std::string layout_differs(const SampleResult& want, const Tensor& got, bool strides = true);

// The dtype, the sizes, the strides and every bit, on any devices. NaNs are equal.
std::string differs(const Tensor& got, const Tensor& want);

}  // namespace vitro::test
