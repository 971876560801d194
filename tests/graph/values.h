// Inputs with values that make trouble, and what comes out compared bit by bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Elements of a dtype that rules get wrong: zeros of both signs, ones, extremes, infinities, NaN,
// numbers too small for their dtype's usual form, numbers that overflow.
std::vector<double> hard_values(DType dtype);

// A tensor of that meta (sizes as their hints) with such elements in random order.
Tensor hard_tensor(const TensorMeta& meta, uint64_t seed);

// Tensors and numbers for all inputs of a graph.
struct Inputs {
  Inputs(const Graph& g, uint64_t seed);
  std::vector<Tensor> tensors;
  std::vector<Operand> operands;
};

// Empty, or where they differ.  Any NaN equals any NaN.
std::string difference(const Tensor& a, const Tensor& b);

}  // namespace vitro::graph
