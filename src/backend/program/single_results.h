// Ops with several results as one node for each result that is used, so that everything after this
// knows values by their nodes.  Nodes of one call compute the same until they choose their result;
// they read the same and so become one kernel.  An opaque call keeps all its results, one node
// after the other: its kernel writes them whether or not they are used.
#pragma once

#include <optional>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::backend {

struct SingleResults {
  graph::Graph graph;
  std::vector<uint32_t> result;  // by node: which of its op's results it gives
};

// Empty where every node has one result.
std::optional<SingleResults> single_results(const graph::Graph& graph);

}  // namespace vitro::backend
