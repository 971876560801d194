#include "graph/order.h"

#include <optional>
#include <utility>

#include "graph/metas.h"

namespace vitro::graph {

namespace {

// The nodes that must precede the node: its operands, then those that define sizes it mentions.
std::vector<NodeId> before(const Graph& g, NodeId id, const DataGivers& givers) {
  std::vector<NodeId> out;
  for (const Arg& arg : g[id].args) {
    if (const auto* value = std::get_if<Value>(&arg)) out.push_back(value->node);
  }
  for (const NodeId giver : givers.needed_by(g[id])) out.push_back(giver);
  return out;
}

struct Visit {
  NodeId id;
  size_t next = 0;
  std::vector<NodeId> before = {};
};

}  // namespace

// Uses an explicit stack because graphs can be deep.
std::vector<NodeId> order_of_use(const Graph& g) {
  const DataGivers givers(g);
  std::vector<NodeId> order(g.inputs());
  std::vector<bool> done(g.size(), false);
  for (const NodeId input : order) done[input.n] = true;
  std::vector<Visit> stack;
  const auto visit = [&](NodeId id) {
    if (!done[id.n]) stack.push_back({id, 0, before(g, id, givers)});
  };
  for (const Output& output : g.outputs()) {
    visit(output.value.node);
    while (!stack.empty()) {
      Visit& at = stack.back();
      if (done[at.id.n]) {
        stack.pop_back();
      } else if (at.next == at.before.size()) {
        done[at.id.n] = true;
        order.push_back(at.id);
      } else {
        visit(at.before[at.next++]);
      }
    }
  }
  return order;
}

}  // namespace vitro::graph
