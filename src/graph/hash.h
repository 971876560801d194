// A faster hash than Graph::hash, for graphs with the same inputs.
#pragma once

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Covers only ops, operands, attributes and outputs: shapes follow from them.
Hash hash_of_calls(const Graph& g);

}  // namespace vitro::graph
