// The order of nodes by their first use from the outputs, operands first.  It does not depend on
// the order in which the program or the C++ compiler evaluated operands.
#pragma once

#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

// All inputs, then every node that the outputs need.
std::vector<NodeId> order_of_use(const Graph& g);

}  // namespace vitro::graph
