// The order of nodes by their first use from the outputs, operands first: the order in which the
// program's text, or the compiler it was built with, evaluated operands does not show in it.
#pragma once

#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// All inputs, then every node that the outputs need.
std::vector<NodeId> order_of_use(const Graph& g);

}  // namespace vitro::graph
