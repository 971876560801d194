// Splits ops with several results into one node for each used result, so that later stages identify
// values by nodes.  The nodes of one call have the same computation and reads, so they fuse into
// one kernel.  An opaque call keeps all results, in adjacent nodes, because its kernel writes them
// even if they are not used.
#pragma once

#include <optional>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::backend {

struct SingleResults {
  graph::Graph graph;
  std::vector<uint32_t> result;  // by node: the number of the op's result that it represents
};

// None if every node has one result.
std::optional<SingleResults> single_results(const graph::Graph& graph);

}  // namespace vitro::backend
