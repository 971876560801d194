#include <utility>

#include "graph/metas.h"
#include "vitro/graph/graph.h"

namespace vitro::graph {
namespace {

// Numbers nodes by their first use from the outputs: the order in which the program's text, or the
// compiler it was built with, evaluated operands does not show.
class Canonical {
 public:
  explicit Canonical(const Graph& g) : g_(g), numbers_(g.size(), unseen) {
    for (const NodeId input : g.inputs()) number(input);
    for (const Output& output : g.outputs()) visit(output.value.node);
  }
  const std::vector<NodeId>& order() const { return order_; }
  void add(Hasher& h, Value value) const {
    h.add(numbers_[value.node.n]);
    h.add(value.output);
  }

 private:
  static constexpr uint32_t unseen = UINT32_MAX;

  void number(NodeId id) {
    numbers_[id.n] = static_cast<uint32_t>(order_.size());
    order_.push_back(id);
  }

  // Operands first, in their order; an explicit stack, as graphs can be deep.
  void visit(NodeId root) {
    std::vector<std::pair<NodeId, size_t>> stack{{root, 0}};
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const std::vector<Arg>& args = g_[id].args;
      if (numbers_[id.n] != unseen) {
        stack.pop_back();
      } else if (next == args.size()) {
        number(id);
      } else if (const auto* value = std::get_if<Value>(&args[next++])) {
        if (numbers_[value->node.n] == unseen) stack.emplace_back(value->node, 0);
      }
    }
  }

  const Graph& g_;
  std::vector<uint32_t> numbers_;
  std::vector<NodeId> order_;
};

void add_arg(Hasher& h, const Canonical& order, const Arg& arg) {
  h.add(arg.index());
  if (const auto* value = std::get_if<Value>(&arg)) order.add(h, *value);
  if (const auto* number = std::get_if<Scalar>(&arg)) add_to(h, *number);
}

}  // namespace

Hash Graph::hash() const {
  const Canonical canonical(*this);
  Hasher h;
  h.add(inputs_.size());
  for (const NodeId id : canonical.order()) {
    const Node& node = nodes_[id.n];
    h.add(node.is_input() ? std::string_view("input") : node.op->name);
    h.add(node.input);
    h.add(node.args.size());
    for (const Arg& arg : node.args) add_arg(h, canonical, arg);
    node.attrs.hash(h);
    h.add(node.results.size());
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
