// Other hashes of graphs than Graph::hash.
#pragma once

#include "vitro/graph/graph.h"

namespace vitro::graph {

// Faster, for graphs with the same inputs.  Covers only ops, operands, attributes and outputs:
// shapes follow from them.
Hash hash_of_calls(const Graph& g);

// Covers everything: the order of nodes, dead ones, names, source locations, ranges of
// symbols; but not the values that symbols had.
Hash hash_of_all(const Graph& g);

}  // namespace vitro::graph
