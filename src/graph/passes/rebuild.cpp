#include "graph/passes/rebuild.h"

namespace vitro::graph {

Rebuild::Rebuild(const Graph& from) : from_(from) {
  first_.reserve(from.size());
  uint32_t results = 0;
  for (const Node& node : from.nodes()) {
    first_.push_back(results);
    results += static_cast<uint32_t>(node.results.size());
  }
  now_.resize(results);
  to.reserve(from.size());
  to.keep_names_of(from);
  to.set_symbols(from.symbols(), from.hints());
  for (const NodeId id : from.inputs()) {
    const Node& node = from[id];
    set({id, 0}, {to.add_input(node.name, node.results[0], node.input, node.location), 0});
  }
}

Rebuild Rebuild::taking(Graph& from) {
  Rebuild made(from);
  made.emptied_ = &from;
  return made;
}

Node Rebuild::mapped(NodeId id) {
  Node node = emptied_ ? std::move((*emptied_)[id]) : from_[id];
  for (Arg& arg : node.args) {
    if (auto* value = std::get_if<Value>(&arg)) *value = (*this)[*value];
  }
  return node;
}

void Rebuild::keep(NodeId id) {
  const NodeId made = to.add(mapped(id));
  const auto results = static_cast<uint32_t>(to[made].results.size());
  for (uint32_t i = 0; i < results; ++i) set({id, i}, {made, i});
}

Graph Rebuild::take() {
  for (const Output& output : from_.outputs()) to.add_output((*this)[output.value], output.writes);
  return std::move(to);
}

}  // namespace vitro::graph
