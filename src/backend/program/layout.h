// The order in which values between kernels lie in memory. What a graph takes and returns has the
// strides that eager execution gives it; all other values are free.
// - Those around convolutions are channels-last, as a convolution reads them: the channels of a
//   position are contiguous.
// - Others have eager's strides, which an op takes from its operands. If these are permuted, as
//   those of an image that became a sequence, the dimension that most readers sweep is contiguous.
#pragma once

#include <span>
#include <vector>

#include "backend/program/program.h"

namespace vitro::backend {

// The dimensions of a value, outermost first.
using MemoryOrder = std::vector<int>;

// By graph node: the order of a value whose layout is chosen; empty: it has eager's strides. Values
// that are read element by element share a layout, through permutations too, so that no kernel
// reads across it.
std::vector<MemoryOrder> memory_orders(const Program& program);

// Strides of a dense value.
Index strides_in_order(const Index& sizes, std::span<const int> order);

}  // namespace vitro::backend
