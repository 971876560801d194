// A graph made anew from another, node by node: what passes are written with.
#pragma once

#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

class Rebuild {
 public:
  // Begins with the inputs and symbols of `from`, whose nodes are copied.
  explicit Rebuild(const Graph& from);
  // The same, but mapped() and keep() may take a node's parts out of `from`: each at most once.
  static Rebuild taking(Graph& from);
  // The node with its operands as they are called in the new graph.
  Node mapped(NodeId id);
  // Copies a node of the old graph.
  void keep(NodeId id);
  // What stands for a value of the old graph from now on.
  void set(Value old, Value now) { now_[first_[old.node.n] + old.output] = now; }
  Value operator[](Value old) const { return now_[first_[old.node.n] + old.output]; }
  // The new graph, with the outputs of the old one.
  Graph take();

  Graph to;

 private:
  const Graph& from_;
  Graph* emptied_ = nullptr;     // `from`, where its nodes may be taken
  std::vector<Value> now_;       // of all results, node after node
  std::vector<uint32_t> first_;  // of each node: where in now_ its results begin
};

}  // namespace vitro::graph
