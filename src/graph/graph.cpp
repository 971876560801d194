// Adding and naming nodes, and comparing graphs.
#include "vitro/graph/graph.h"

#include <algorithm>
#include <utility>

#include "graph/arguments.h"
#include "graph/metas.h"
#include "graph/names.h"
#include "vitro/base/error.h"
#include "vitro/ops/compaction.h"

namespace vitro::graph {
namespace {

// Whether the name was made from the op's: its suffix depends only on the order of creation.
bool is_numbered(const Node& node) {
  std::string_view rest = node.name;
  if (!rest.starts_with(node.op->name)) return false;
  rest.remove_prefix(node.op->name.size());
  return rest.starts_with('_') && rest.find_first_not_of("0123456789", 1) == rest.npos;
}

bool same_location(const SourceLocation& a, const SourceLocation& b) {
  return a.file == b.file && a.line == b.line && a.module == b.module;
}

// Compares everything but the operands.
bool same_node(const Node& a, const Node& b) {
  return a.op == b.op && a.attrs == b.attrs && a.name == b.name && a.input == b.input &&
         same_location(a.location, b.location) && std::ranges::equal(a.results, b.results, same);
}

// Nodes in the order of the text: inputs before all other nodes.
class TextOrder {
 public:
  explicit TextOrder(const Graph& g) : order_(g.inputs()), numbers_(g.size()) {
    for (uint32_t n = 0; n < g.size(); ++n) {
      if (!g[NodeId{n}].is_input()) order_.push_back(NodeId{n});
    }
    for (uint32_t i = 0; i < order_.size(); ++i) numbers_[order_[i].n] = i;
  }

  const std::vector<NodeId>& order() const { return order_; }
  // The value with its node numbered by its position in the text.
  Value place_of(Value value) const { return {NodeId{numbers_[value.node.n]}, value.output}; }
  Arg place_of(const Arg& arg) const {
    const auto* value = std::get_if<Value>(&arg);
    return value ? Arg(place_of(*value)) : arg;
  }

 private:
  std::vector<NodeId> order_;
  std::vector<uint32_t> numbers_;  // by node: its index in `order_`
};

}  // namespace

NodeId Graph::add_input(std::string name, TensorMeta meta, InputKind kind,
                        SourceLocation location) {
  Node node;
  node.name = free_name(name, true);
  node.results.push_back(std::move(meta));
  node.location = location;
  node.input = kind;
  const NodeId id{static_cast<uint32_t>(nodes_.size())};
  nodes_.push_back(std::move(node));
  inputs_.push_back(id);
  return id;
}

NodeId Graph::add(const OpDef& op, std::vector<Arg> args, Attrs attrs, SourceLocation location) {
  Node node;
  node.op = &op;
  node.results = infer(*this, op, args, attrs.view());
  if (op.compaction) {
    const int64_t most = node.results[0].sizes[0].hint();
    const auto earlier = std::ranges::count_if(
        nodes_, [](const Node& n) { return !n.is_input() && n.op->compaction; });
    const sym::Expr symbol = sym::Expr::data(static_cast<uint32_t>(earlier));
    ops::set_count(node.results[0], {most, symbol});
  }
  node.args = std::move(args);
  node.attrs = std::move(attrs);
  node.location = location;
  return add(std::move(node));
}

NodeId Graph::add(Node node) {
  VITRO_ASSERT(node.op, "an input is added by add_input");
  for (const Arg& arg : node.args) {
    const auto* value = std::get_if<Value>(&arg);
    VITRO_ASSERT(!value || value->node.n < nodes_.size(), "operands come before their use");
  }
  drop_defaults(*node.op, node.args);
  const bool named = !node.name.empty();
  node.name = free_name(named ? std::string_view(node.name) : node.op->name, named);
  nodes_.push_back(std::move(node));
  return NodeId{static_cast<uint32_t>(nodes_.size() - 1)};
}

void Graph::reserve(size_t nodes) {
  nodes_.reserve(nodes);
  names_.reserve(nodes);
}

void Graph::keep_names_of(const Graph& g) {
  for (const Node& node : g.nodes()) names_.try_emplace(node.name, Taken{1, true});
}

void Graph::name_in(const std::vector<NodeId>& order) {
  names_.clear();
  for (const NodeId id : inputs_) names_.try_emplace(nodes_[id.n].name);
  const auto name = [this](Node& node) {
    node.name = is_numbered(node) ? free_name(node.op->name, false) : free_name(node.name, true);
  };
  std::vector<bool> done(nodes_.size(), false);
  for (const NodeId id : order) {
    if (!nodes_[id.n].is_input()) name(nodes_[id.n]);
    done[id.n] = true;
  }
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (!done[n] && !nodes_[n].is_input()) name(nodes_[n]);
  }
}

std::string Graph::free_name(std::string_view wanted, bool named) {
  const std::string base = writable_name(wanted);
  const auto [at, is_new] = names_.try_emplace(base);
  if (is_new || (named && std::exchange(at->second.is_kept, false))) return base;
  std::string name;
  do {
    name = cat(base, '_', names_[base].next++);
  } while (!names_.try_emplace(name).second);
  return name;
}

std::vector<std::vector<NodeId>> Graph::users() const {
  std::vector<std::vector<NodeId>> all(nodes_.size());
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    for (const Arg& arg : nodes_[n].args) {
      const auto* value = std::get_if<Value>(&arg);
      if (!value) continue;
      std::vector<NodeId>& list = all[value->node.n];
      if (list.empty() || list.back().n != n) list.push_back(NodeId{n});
    }
  }
  return all;
}

void Graph::set_symbols(std::vector<sym::Expr> symbols, std::vector<int64_t> hints) {
  VITRO_ASSERT(symbols.size() == hints.size(), symbols.size(), " symbols, ", hints.size(),
               " hints");
  symbols_ = std::move(symbols);
  hints_ = std::move(hints);
}

bool operator==(const Graph& a, const Graph& b) {
  const TextOrder of_a(a), of_b(b);
  const auto same_arg = [&](const Arg& x, const Arg& y) {
    return of_a.place_of(x) == of_b.place_of(y);
  };
  const auto same_call = [&](NodeId x, NodeId y) {
    return same_node(a[x], b[y]) && std::ranges::equal(a[x].args, b[y].args, same_arg);
  };
  const auto same_output = [&](const Output& x, const Output& y) {
    return of_a.place_of(x.value) == of_b.place_of(y.value) && x.writes == y.writes;
  };
  return a.inputs_.size() == b.inputs_.size() && a.symbols_ == b.symbols_ && a.hints_ == b.hints_ &&
         std::ranges::equal(of_a.order(), of_b.order(), same_call) &&
         std::ranges::equal(a.outputs_, b.outputs_, same_output);
}

}  // namespace vitro::graph
