// Inputs with awkward values, and bitwise comparison of results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Values for which wrong rewrite rules show: zeros of both signs, ones, extremes, infinities, NaN,
// subnormal numbers, numbers that overflow.
std::vector<double> hard_values(DType dtype);

// A tensor with this meta (sizes as their hints) and such elements in random order.
Tensor hard_tensor(const TensorMeta& meta, uint64_t seed);

// Values for all inputs of a graph. `operands` refer to `tensors`.
struct Inputs {
  Inputs(const Graph& g, uint64_t seed);
  std::vector<Tensor> tensors;
  std::vector<Operand> operands;
};

// The first difference, or empty. All NaNs are equal.
std::string difference(const Tensor& a, const Tensor& b);

}  // namespace vitro::graph
