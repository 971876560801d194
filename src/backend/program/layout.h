// The order in which values between kernels lie in memory. What a graph takes and returns has the
// strides that eager execution gives it; all other values are free. Those around convolutions lie
// by pixels: the channels (dimension 1) of a position are contiguous, as a convolution reads them
// (PyTorch's channels_last).
#pragma once

#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// By graph node: whether its value lies by pixels. Values that are read element by element at the
// same index share a layout, so that no kernel reads across it.
std::vector<bool> values_by_pixels(const Program& program);

// Strides of a value that lies by pixels.
Index strides_by_pixels(const Index& sizes);

}  // namespace vitro::backend
