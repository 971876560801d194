// Shares the text of kernels of a program that differ only in the offsets into their buffers, such
// as the kernels of a long `cat`, each of which writes other columns.
#pragma once

#include <vector>

#include "backend/lower/builder.h"

namespace vitro::backend {

// Removes the offsets from kernels that are equal without them: their launches add them instead.
void share_kernels(std::vector<LoweredKernel>& kernels);

}  // namespace vitro::backend
