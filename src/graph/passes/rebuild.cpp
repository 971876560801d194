#include "graph/passes/rebuild.h"

namespace vitro::graph {

Rebuild::Rebuild(const Graph& from) : from_(from), now_(from.size()) {
  for (size_t n = 0; n < from.size(); ++n) now_[n].resize(from.nodes()[n].results.size());
  to.set_symbols(from.symbols());
  for (const NodeId id : from.inputs()) {
    const Node& node = from[id];
    set({id, 0}, {to.add_input(node.name, node.results[0], node.input, node.place), 0});
  }
}

Node Rebuild::mapped(NodeId id) const {
  Node node = from_[id];
  for (Arg& arg : node.args) {
    if (auto* value = std::get_if<Value>(&arg)) *value = (*this)[*value];
  }
  return node;
}

void Rebuild::keep(NodeId id) {
  const size_t results = from_[id].results.size();
  const NodeId made = to.add(mapped(id));
  for (uint32_t i = 0; i < results; ++i) set({id, i}, {made, i});
}

Graph Rebuild::take() {
  for (const Output& output : from_.outputs()) to.add_output((*this)[output.value], output.writes);
  return std::move(to);
}

}  // namespace vitro::graph
