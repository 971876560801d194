// The processor's own answer to what it can do.
#pragma once

#include <vector>

#include "runtime/cpu/machine.h"

namespace vitro::runtime {

// By name; only those whose registers the system saves.
std::vector<CpuFeature> usable_features();

}  // namespace vitro::runtime
