// Splits a graph with data sizes into parts: what can run before a data size is known, the op that
// decides it, and what can run after that.
//   n = nonzero(x), y = exp(x), z = gather(y, n)     part: nothing, then nonzero; part: exp, gather
// In a part, data sizes decided before it are ordinary symbols; each part is compiled separately,
// once for all values of them.  Nodes are in the latest possible part, with their users; views and
// nodes without tensor operands are recomputed in each part.
#pragma once

#include <span>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::pipeline {

// Where a tensor is while the parts run: an input of the graph, or a numbered slot for what parts
// and the ops between them compute.
struct ValueRef {
  bool input = false;
  uint32_t slot = 0;
};

// An op that runs after a part.  `result` is the slot of its result, whose first size is the next
// symbol's value.
struct DecidingOp {
  graph::NodeId node;
  std::vector<ValueRef> operands;
  uint32_t result = 0;
};

struct Subgraph {
  graph::Graph graph;
  std::vector<ValueRef> inputs;
  std::vector<uint32_t> outputs;  // slots of the outputs that do not write an input
  std::vector<DecidingOp> after;
  std::vector<uint32_t> released;  // slots not read after this part
};

struct Partition {
  std::vector<Subgraph> parts;
  uint32_t slots = 0;
  std::vector<uint32_t> outputs;  // slots of the graph's outputs that do not write an input
};

bool has_data_sizes(const graph::Graph& g);
Partition split_at_data(const graph::Graph& g);

}  // namespace vitro::pipeline
