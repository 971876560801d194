#include "graph/metas.h"
#include "graph/passes/rebuild.h"
#include "vitro/graph/pass.h"

namespace vitro::graph {

Graph drop_dead(Graph g) {
  const DataGivers givers(g);
  std::vector<bool> live(g.size(), false);
  for (const Output& output : g.outputs()) live[output.value.node.n] = true;
  for (size_t n = g.size(); n-- > 0;) {
    if (!live[n]) continue;
    for (const Arg& arg : g.nodes()[n].args) {
      if (const auto* value = std::get_if<Value>(&arg)) live[value->node.n] = true;
    }
    for (const NodeId giver : givers.needed_by(g.nodes()[n])) live[giver.n] = true;
  }
  Rebuild made = Rebuild::taking(g);
  for (uint32_t n = 0; n < g.size(); ++n) {
    if (live[n] && !g.nodes()[n].is_input()) made.keep(NodeId{n});
  }
  return made.take();
}

}  // namespace vitro::graph
