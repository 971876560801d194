// Kernels of users (OpaqueInfo in core/op.h), on whatever device.
#pragma once

#include "runtime/device.h"
#include "vitro/core/op.h"

namespace vitro::runtime {

// The op's kernel as a launch; addresses are the device's.
void launch_opaque(const OpDef& op, const OpaqueCall& call, DeviceRuntime& device);

}  // namespace vitro::runtime
