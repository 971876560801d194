// The CPU as a device: kernels run on the pool of threads, and are done when launch() returns.
#pragma once

#include "runtime/device.h"

namespace vitro::runtime {

DeviceRuntime& cpu_device();

}  // namespace vitro::runtime
