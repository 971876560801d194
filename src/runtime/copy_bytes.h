// Bytes from a device to any other.
#pragma once

#include <cstddef>

#include "vitro/core/device.h"

namespace vitro::runtime {

// Both are done when it returns.
void copy_bytes(Device to, void* to_data, Device from, const void* from_data, size_t bytes);

}  // namespace vitro::runtime
