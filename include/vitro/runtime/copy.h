// Moves tensors between devices.
//   const Tensor there = to(x, Device{Device::Kind::cuda, 0});
//   const Tensor y = to(exp(there), cpu);     // the host can read y.data<float>()
#pragma once

#include <source_location>

#include "vitro/core/tensor.h"

namespace vitro {

// Returns x if it is already on the device.  Otherwise returns a copy on the device with the same
// sizes and strides and its own storage, complete when the call returns.  A graph break inside a
// compiled function.  Throws if the device has no runtime.  Threads: counts as a read of x.
Tensor to(const Tensor& x, Device device,
          std::source_location where = std::source_location::current());

}  // namespace vitro
