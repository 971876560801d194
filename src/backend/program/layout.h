// The order in which values between kernels lie in memory. What a graph takes and returns has the
// strides that eager execution gives it; all other values are free. Those around convolutions are
// channels-last: the channels (dimension 1) of a position are contiguous, as a convolution reads
// them.
#pragma once

#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// By graph node: whether its value is channels-last. Values that are read element by element at the
// same index share a layout, so that no kernel reads across it.
std::vector<bool> channels_last_values(const Program& program);

// Strides of a value that is channels-last.
Index channels_last_strides(const Index& sizes);

}  // namespace vitro::backend
