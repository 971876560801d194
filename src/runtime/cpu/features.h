// The instruction set extensions of the processor.
#pragma once

#include <vector>

#include "runtime/cpu/machine.h"

namespace vitro::runtime {

// Sorted by name; only those whose registers the system saves.
std::vector<CpuFeature> usable_features();

}  // namespace vitro::runtime
