// Copies bytes between any two devices.
#pragma once

#include <cstddef>

#include "vitro/core/device.h"

namespace vitro::runtime {

// Blocks until the copy is complete on both devices.
void copy_bytes(Device to, void* to_data, Device from, const void* from_data, size_t bytes);

}  // namespace vitro::runtime
