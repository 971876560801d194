// The order of a program's kernels: as that of the program, but less memory is live.
#pragma once

#include <vector>

#include "backend/lower/builder.h"

namespace vitro::backend {

// Moves kernels that free at least what they allocate, such as the update of a weight by its
// gradient, to where their operands are complete, and those that only allocate, such as the zeros
// that a scatter starts from, to their first reader. Kernels that may fail stay before all writes
// to inputs that they preceded, so that nothing more has to be restored after an error; others do
// not move past kernels of users.
void order_for_memory(std::vector<LoweredKernel>& kernels, const BufferAssignment& assignment);

}  // namespace vitro::backend
