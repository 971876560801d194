#include "graph/order.h"

#include <utility>

namespace vitro::graph {

// An explicit stack, as graphs can be deep.
std::vector<NodeId> order_of_use(const Graph& g) {
  std::vector<NodeId> order(g.inputs());
  std::vector<bool> done(g.size(), false);
  for (const NodeId input : order) done[input.n] = true;
  std::vector<std::pair<NodeId, size_t>> stack;
  for (const Output& output : g.outputs()) {
    stack.emplace_back(output.value.node, 0);
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const std::vector<Arg>& args = g[id].args;
      if (done[id.n]) {
        stack.pop_back();
      } else if (next == args.size()) {
        done[id.n] = true;
        order.push_back(id);
      } else if (const auto* value = std::get_if<Value>(&args[next++])) {
        if (!done[value->node.n]) stack.emplace_back(value->node, 0);
      }
    }
  }
  return order;
}

}  // namespace vitro::graph
