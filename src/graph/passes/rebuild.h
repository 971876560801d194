// Rebuilds a graph node by node; passes are written with it.
#pragma once

#include <vector>

#include "vitro/graph/graph.h"

namespace vitro::graph {

class Rebuild {
 public:
  // Starts with the inputs and symbols of `from`; mapped() and keep() copy its nodes.
  explicit Rebuild(const Graph& from);
  // The same, but mapped() and keep() move nodes out of `from`: each node at most once.
  static Rebuild taking(Graph& from);
  // The node with its operands mapped to the new graph.
  Node mapped(NodeId id);
  // Adds a node of the old graph to the new one.
  void keep(NodeId id);
  // Maps a value of the old graph to one of the new graph.
  void set(Value old, Value now) { now_[first_[old.node.n] + old.output] = now; }
  Value operator[](Value old) const { return now_[first_[old.node.n] + old.output]; }
  // The new graph, with the outputs of the old one.
  Graph take();

  Graph to;

 private:
  const Graph& from_;
  Graph* emptied_ = nullptr;     // `from`, if nodes are moved out of it
  std::vector<Value> now_;       // the new values of all results, node by node
  std::vector<uint32_t> first_;  // by node: index in now_ of its first result
};

}  // namespace vitro::graph
