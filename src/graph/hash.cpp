// Hashes of graphs: of the program alone, of its calls, and of everything in it.
#include "graph/hash.h"

#include "graph/metas.h"
#include "graph/order.h"
#include "vitro/base/module_path.h"
#include "vitro/graph/graph.h"

namespace vitro::graph {
namespace {

class Canonical {
 public:
  explicit Canonical(const Graph& g) : order_(order_of_use(g)), numbers_(g.size()) {
    for (uint32_t i = 0; i < order_.size(); ++i) numbers_[order_[i].n] = i;
  }
  const std::vector<NodeId>& order() const { return order_; }
  void add(Hasher& h, Value value) const {
    h.add(numbers_[value.node.n]);
    h.add(value.output);
  }

 private:
  std::vector<NodeId> order_;
  std::vector<uint32_t> numbers_;
};

void add_arg(Hasher& h, const Canonical& order, const Arg& arg) {
  h.add(arg.index());
  if (const auto* value = std::get_if<Value>(&arg)) order.add(h, *value);
  if (const auto* number = std::get_if<Scalar>(&arg)) add_to(h, *number);
}

void add_call(Hasher& h, const Canonical& order, const Node& node) {
  h.add(node.is_input() ? std::string_view("input") : node.op->name);
  h.add(node.input);
  h.add(node.args.size());
  for (const Arg& arg : node.args) add_arg(h, order, arg);
  node.attrs.hash(h);
  h.add(node.results.size());
}

}  // namespace

Hash hash_of_calls(const Graph& g) {
  const Canonical canonical(g);
  Hasher h;
  for (const NodeId id : canonical.order()) add_call(h, canonical, g[id]);
  for (const Output& output : g.outputs()) {
    canonical.add(h, output.value);
    h.add(output.writes);
  }
  return h.finish();
}

Hash hash_of_all(const Graph& g) {
  Hasher h;
  const auto add = [&h](Value value) { h.add(value.node.n), h.add(value.output); };
  for (const Node& node : g.nodes()) {
    h.add(node.is_input() ? std::string_view("input") : node.op->name);
    h.add(node.input);
    h.add(node.name);
    h.add(node.args.size());
    for (const Arg& arg : node.args) {
      h.add(arg.index());
      if (const auto* value = std::get_if<Value>(&arg)) add(*value);
      if (const auto* number = std::get_if<Scalar>(&arg)) add_to(h, *number);
    }
    node.attrs.hash(h);
    h.add(node.results.size());
    for (const TensorMeta& meta : node.results) add_to(h, meta);
    const SourceLocation& at = node.location;
    h.add(at.file), h.add(at.line), h.add(module_path(at.module)), h.add(at.call);
  }
  h.add(g.outputs().size());
  for (const Output& output : g.outputs()) add(output.value), h.add(output.writes);
  for (const sym::Expr symbol : g.symbols()) {
    const sym::Range range = sym::range_of(symbol);
    h.add(symbol.text());
    h.add(range.low), h.add(range.high);
  }
  return h.finish();
}

Hash Graph::hash() const {
  const Canonical canonical(*this);
  Hasher h;
  h.add(inputs_.size());
  for (const NodeId id : canonical.order()) {
    const Node& node = nodes_[id.n];
    add_call(h, canonical, node);
    for (const TensorMeta& meta : node.results) add_to(h, meta);
  }
  h.add(outputs_.size());
  for (const Output& output : outputs_) {
    canonical.add(h, output.value);
    h.add(output.writes);
  }
  h.add(symbols_.size());
  for (const sym::Expr symbol : symbols_) h.add(symbol.text());
  return h.finish();
}

}  // namespace vitro::graph
