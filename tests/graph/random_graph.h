// Random graphs of all ops, with arguments that their shape rules accept. The seed determines the
// graph.
#pragma once

#include <cstdint>

#include "vitro/graph/graph.h"

namespace vitro::graph {

struct RandomOptions {
  int nodes = 20;
  bool symbols = true;
  bool odd_numbers = true;  // NaN, infinities, numbers that do not fit f32
};

Graph random_graph(uint64_t seed, const RandomOptions& options = {});

}  // namespace vitro::graph
