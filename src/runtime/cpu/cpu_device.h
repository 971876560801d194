// The CPU as a device: kernels run on the thread pool and are complete when launch() returns.
#pragma once

#include "runtime/device.h"

namespace vitro::runtime {

DeviceRuntime& cpu_device();

}  // namespace vitro::runtime
