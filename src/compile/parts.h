// A graph with sizes that data decide, in parts: what can run before such a size is known, the op
// that decides it, what can run then.
//   n = nonzero(x), y = exp(x), z = gather(y, n)     part: nothing, then nonzero; part: exp, gather
// To a part the sizes that were decided before it are symbols like any other; each part is compiled
// by itself, once for whatever the sizes come to be.  Nodes stand in the latest part that they can,
// with those that read them; views and what is made of numbers alone are made again in each part.
#pragma once

#include <span>
#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::pipeline {

// Where a tensor is while the parts run: an input of the graph, or a place among those that parts
// and what runs between them make.
struct Held {
  bool input = false;
  uint32_t place = 0;
};

// Runs after a part.  Its result lies in `result`; the first size is the next symbol's value.
struct Between {
  graph::NodeId node;
  std::vector<Held> operands;
  uint32_t result = 0;
};

struct Part {
  graph::Graph graph;
  std::vector<Held> inputs;
  std::vector<uint32_t> outputs;  // where those lie that write no input
  std::vector<Between> after;
  std::vector<uint32_t> let_go;  // what nobody reads after it
};

struct Parts {
  std::vector<Part> parts;
  uint32_t places = 0;
  std::vector<uint32_t> outputs;  // of the graph, those that write no input
};

bool has_data_sizes(const graph::Graph& g);
Parts split_at_data(const graph::Graph& g);

}  // namespace vitro::pipeline
