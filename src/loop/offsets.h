// The offsets at which a kernel accesses its buffers. Kernels that differ only in their offsets
// become equal when the offsets are removed.
//   y[6*i + 3] = a[i]; y[6*i + 4] = b[i]   becomes   y[6*i] = a[i]; y[6*i + 1] = b[i] for y + 3
#pragma once

#include <span>
#include <vector>

#include "loop/kernel.h"

namespace vitro::loop {

// For each buffer, the part of the first accessed element that is the same in all tasks and
// iterations; 0 if it may be negative. Empty if all are 0, and for kernels with accesses that
// subtract_offsets does not support.
std::vector<sym::Expr> offsets_of(const Kernel& kernel);

// Subtracts them from every access: the kernel then does the same on buffers that start at the
// offsets.
void subtract_offsets(Kernel& kernel, std::span<const sym::Expr> offsets);

}  // namespace vitro::loop
