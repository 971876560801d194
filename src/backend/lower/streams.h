// Results that may exceed the last-level cache: their stores can bypass it.
#pragma once

#include <vector>

#include "backend/lower/builder.h"

namespace vitro::backend {

// Marks the buffers of kernels whose stores choose at each launch (DeviceRuntime::should_stream):
// buffers that no statement of the kernel reads, since lines that it reads are in the caches when
// they are written.
void choose_streams(const MachineModel& machine, std::vector<LoweredKernel>& kernels,
                    const BufferAssignment& assignment);

}  // namespace vitro::backend
