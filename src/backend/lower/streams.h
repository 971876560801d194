// Results that may be larger than the last cache: their stores can go past it.
#pragma once

#include <vector>

#include "backend/lower/builder.h"

namespace vitro::backend {

// Marks the buffers of kernels whose stores choose at each launch (DeviceRuntime::should_stream):
// what no statement of the kernel reads, since its lines are in the caches when they are written.
void choose_streams(const MachineModel& machine, std::vector<LoweredKernel>& kernels,
                    const BufferAssignment& assignment);

}  // namespace vitro::backend
