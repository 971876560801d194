// What the names and the sizes of kernels show: products without tensor cores, kernels for older
// devices, attention and optimizers in many kernels, kernels too small for the device.
#pragma once

#include <vector>

#include "vitro/analyze/answer.h"

namespace vitro::analyze {

class TraceIndex;

// None of these follows from the file alone: the least saving is 0.  The most is
// - for products in f32 without tensor cores, on a device that has TF32 (compute capability 8 or
//   later): their time
// - for other products by kernels for an older architecture than the device's: their time
// - for attention, a softmax between two batched products on a stream: what runs between the two
// - for an optimizer that launches kernels for each parameter (none for many; ten or more a step,
//   at most 100 us apart): the time of its step while a device is idle
// - for kernels with fewer blocks than the device has multiprocessors: the part of their time that
//   the missing blocks have of a full device.  Of each of the 64 names that take longest, the first
//   8 calls are looked at, if they are among the first two million events.
std::vector<Finding> kernel_findings(const TraceIndex& index);

}  // namespace vitro::analyze
