#include <string_view>

#include "graph/order.h"
#include "graph/passes/rebuild.h"
#include "vitro/graph/pass.h"

namespace vitro::graph {
namespace {

// A name that was made of the op's: the number at its end only tells the order of making.
bool is_numbered(const Node& node) {
  std::string_view rest = node.name;
  if (!rest.starts_with(node.op->name)) return false;
  rest.remove_prefix(node.op->name.size());
  return rest.starts_with('_') && rest.find_first_not_of("0123456789", 1) == rest.npos;
}

}  // namespace

Graph order_by_use(Graph g) {
  for (uint32_t n = 0; n < g.size(); ++n) {
    Node& node = g[NodeId{n}];
    if (!node.is_input() && is_numbered(node)) node.name.clear();
  }
  const std::vector<NodeId> order = order_of_use(g);
  Rebuild made = Rebuild::taking(g);
  for (const NodeId id : order) {
    if (!g[id].is_input()) made.keep(id);
  }
  return made.take();
}

}  // namespace vitro::graph
