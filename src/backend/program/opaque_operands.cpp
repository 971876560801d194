#include "backend/program/opaque_operands.h"

#include <algorithm>
#include <map>

#include "vitro/ops/create.h"

namespace vitro::backend {
namespace {

bool is_opaque(const graph::Node& node) {
  return !node.is_input() && node.op->kind == OpKind::opaque;
}

bool is_view(const graph::Graph& g, const graph::Arg& arg) {
  const auto* value = std::get_if<graph::Value>(&arg);
  return value && !g[value->node].is_input() && g[value->node].op->kind == OpKind::view;
}

bool reads_views(const graph::Graph& g, const graph::Node& node) {
  return is_opaque(node) &&
         std::ranges::any_of(node.args, [&](const graph::Arg& arg) { return is_view(g, arg); });
}

// Copies a graph, with a clone of each view that an opaque op reads.
class Copier {
 public:
  explicit Copier(const graph::Graph& from) : from_(from) {
    out_.keep_names_of(from);
    out_.set_symbols(from.symbols(), from.hints());
  }

  graph::Graph run() {
    for (uint32_t n = 0; n < from_.size(); ++n) {
      const graph::Node& node = from_[graph::NodeId{n}];
      now_.push_back(node.is_input()
                         ? out_.add_input(node.name, node.results[0], node.input, node.location)
                         : add(node));
    }
    for (const graph::Output& output : from_.outputs())
      out_.add_output(moved(output.value), output.writes);
    return std::move(out_);
  }

 private:
  graph::Value moved(graph::Value value) const { return {now_[value.node.n], value.output}; }

  graph::NodeId add(const graph::Node& node) {
    graph::Node made = node;
    for (graph::Arg& arg : made.args) {
      auto* value = std::get_if<graph::Value>(&arg);
      if (!value) continue;
      const bool must_lie = is_opaque(node) && is_view(from_, arg);
      *value = must_lie ? stored(*value) : moved(*value);
    }
    return out_.add(std::move(made));
  }

  graph::Value stored(graph::Value view) {
    const auto [at, is_new] = copies_.try_emplace(view);
    const ops::CloneAttrs dense{ops::MemoryFormat::contiguous};
    if (is_new)
      at->second = {out_.add(ops::def<ops::Clone>(), {moved(view)},
                             Attrs(ops::attrs_view<ops::Clone>(dense)), from_[view.node].location),
                    0};
    return at->second;
  }

  const graph::Graph& from_;
  graph::Graph out_;
  std::vector<graph::NodeId> now_;
  std::map<graph::Value, graph::Value> copies_;  // by view in `from_`
};

}  // namespace

std::optional<graph::Graph> store_opaque_operands(const graph::Graph& graph) {
  const auto reads = [&](const graph::Node& node) { return reads_views(graph, node); };
  if (std::ranges::count_if(graph.nodes(), reads) == 0) return std::nullopt;
  return Copier(graph).run();
}

}  // namespace vitro::backend
