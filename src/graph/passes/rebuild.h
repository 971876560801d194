// A graph made anew from another, node by node: what passes are written with.
#pragma once

#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

class Rebuild {
 public:
  // Begins with the inputs and symbols of `from`.
  explicit Rebuild(const Graph& from);
  // The node with its operands as they are called in the new graph.
  Node mapped(NodeId id) const;
  // Copies a node of the old graph.
  void keep(NodeId id);
  // What stands for a value of the old graph from now on.
  void set(Value old, Value now) { now_[old.node.n][old.output] = now; }
  Value operator[](Value old) const { return now_[old.node.n][old.output]; }
  // The new graph, with the outputs of the old one.
  Graph take();

  Graph to;

 private:
  const Graph& from_;
  std::vector<std::vector<Value>> now_;
};

}  // namespace vitro::graph
