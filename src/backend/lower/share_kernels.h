// Kernels of a program that differ only in the offsets into their buffers: each kernel of a long
// `cat` writes other columns.
#pragma once

#include <vector>

#include "backend/lower/builder.h"

namespace vitro::backend {

// Takes the offsets out of kernels that are equal without them: their launches add them instead.
void share_kernels(std::vector<LoweredKernel>& kernels);

}  // namespace vitro::backend
