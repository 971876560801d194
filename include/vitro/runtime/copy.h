// Tensors on other devices.
//   const Tensor there = to(x, Device{Device::Kind::cuda, 0});
//   const Tensor y = to(exp(there), cpu);     // y.data<float>() is there for the host
#pragma once

#include <source_location>

#include "vitro/core/tensor.h"

namespace vitro {

// x itself where it lies on the device; else a copy with the same sizes and strides there, in
// memory of its own, which is ready when the call returns.  A graph break inside of a compiled
// function.  Error where nobody runs the device.  Threads: as a read of x.
Tensor to(const Tensor& x, Device device,
          std::source_location where = std::source_location::current());

}  // namespace vitro
