#include "graph/order.h"
#include "graph/passes/rebuild.h"
#include "vitro/graph/pass.h"

namespace vitro::graph {

Graph order_by_use(Graph g) {
  const std::vector<NodeId> order = order_of_use(g);
  g.name_in(order);
  Rebuild made = Rebuild::taking(g);
  for (const NodeId id : order) {
    if (!g[id].is_input()) made.keep(id);
  }
  return made.take();
}

}  // namespace vitro::graph
