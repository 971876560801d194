#include <unordered_map>

#include "graph/metas.h"
#include "graph/passes/rebuild.h"
#include "vitro/graph/pass.h"

namespace vitro::graph {
namespace {

Hash key_of(const Node& node) {
  Hasher h;
  h.add(node.op->name);
  h.add(node.args.size());
  for (const Arg& arg : node.args) {
    h.add(arg.index());
    if (const auto* value = std::get_if<Value>(&arg)) {
      h.add(value->node.n);
      h.add(value->output);
    } else if (const auto* number = std::get_if<Scalar>(&arg)) {
      add_to(h, *number);
    }
  }
  node.attrs.hash(h);
  for (const TensorMeta& meta : node.results) add_to(h, meta);
  return h.finish();
}

// Opaque ops may give different results for equal operands.
bool may_merge(const Node& node) {
  return node.op->kind != OpKind::opaque;
}

}  // namespace

Graph merge_same(Graph g) {
  Rebuild made = Rebuild::taking(g);
  std::unordered_map<Hash, NodeId> seen;
  for (uint32_t n = 0; n < g.size(); ++n) {
    const NodeId id{n};
    if (g[id].is_input()) continue;
    if (!may_merge(g[id])) {
      made.keep(id);
      continue;
    }
    Node node = made.mapped(id);
    const uint32_t results = static_cast<uint32_t>(node.results.size());
    const auto [found, fresh] = seen.try_emplace(key_of(node));
    if (fresh) found->second = made.to.add(std::move(node));
    for (uint32_t i = 0; i < results; ++i) made.set({id, i}, {found->second, i});
  }
  return made.take();
}

}  // namespace vitro::graph
