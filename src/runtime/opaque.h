// Launches users' kernels (OpaqueInfo in core/op.h) on any device.
#pragma once

#include "runtime/device.h"
#include "vitro/core/op.h"

namespace vitro::runtime {

// Launches the op's kernel; tensors in `call` have device addresses.
void launch_opaque(const OpDef& op, const OpaqueCall& call, DeviceRuntime& device);

}  // namespace vitro::runtime
