// The offsets at which a kernel reads and writes its buffers.  Kernels that differ in nothing else
// become one when the offsets are taken out of them.
//   y[6*i + 3] = a[i]; y[6*i + 4] = b[i]   becomes   y[6*i] = a[i]; y[6*i + 1] = b[i] for y + 3
#pragma once

#include <span>
#include <vector>

#include "loop/kernel.h"

namespace vitro::loop {

// For each buffer the part of the element first read or written that is the same in all tasks and
// turns, 0 where it may be negative.  Empty where all are 0, and for kernels whose accesses
// subtract_offsets does not know.
std::vector<sym::Expr> offsets_of(const Kernel& kernel);

// Subtracts them from every access: the kernel does the same to buffers that begin there.
void subtract_offsets(Kernel& kernel, std::span<const sym::Expr> offsets);

}  // namespace vitro::loop
