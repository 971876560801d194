// Joins products that pass images to one another into kernels that compute bands of lines.
//
//   expand:    h[r, c] = product of x and w, rows r < 112 * 112
//   depthwise: y[r, c] = product of windows of h and v
//        ->    bands of up to 9 of 56 lines: the lines of h that a band needs, then those of y
//
// Every sum is added up as before, so no bit of a result changes.
#pragma once

#include "backend/lower/builder.h"

namespace vitro::backend {

// Replaces kernels by joined ones; appends the decisions.
void join_in_bands(const Program& program, const BufferAssignment& assignment,
                   std::vector<LoweredKernel>& kernels, std::vector<FusionReport>& decisions);

}  // namespace vitro::backend
