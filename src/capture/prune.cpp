#include "capture/prune.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/metas.h"
#include "graph/order.h"
#include "vitro/base/cat.h"

namespace vitro::capture {
namespace {

// Maps the symbols of calls to the names that they have in the graph.
class GraphSymbols {
 public:
  Size operator()(Size s) {
    if (!s.is_symbolic()) return s;
    for (const sym::Expr symbol : sym::symbols_of(s.expr())) {
      if (std::ranges::find(names_, symbol, &Pair::first) == names_.end())
        names_.emplace_back(symbol, new_name(symbol));
    }
    return {s.hint(), sym::substitute(s.expr(), names_)};
  }
  using Pair = std::pair<sym::Expr, sym::Expr>;  // symbol of calls, symbol of the graph
  const std::vector<Pair>& all() const { return names_; }

 private:
  sym::Expr new_name(sym::Expr symbol) {
    if (sym::is_data(symbol)) return sym::Expr::data(data_count_++);
    const std::string name = cat(sym::name_of(symbol).substr(0, 1), names_.size() - data_count_);
    return sym::Expr::symbol(name, sym::range_of(symbol));
  }
  std::vector<Pair> names_;
  uint32_t data_count_ = 0;  // of these, the data sizes
};

// By node: whether an output depends on it.
std::vector<bool> needed_by(const graph::Graph& graph, const std::vector<graph::Output>& outputs) {
  std::vector<bool> needed(graph.size(), false);
  for (const graph::Output& o : outputs) {
    needed[o.value.node.n] = true;
    if (o.writes >= 0) needed[graph.inputs()[static_cast<size_t>(o.writes)].n] = true;
  }
  for (size_t n = graph.size(); n-- > 0;) {
    if (!needed[n]) continue;
    for (const graph::Arg& arg : graph.nodes()[n].args) {
      if (const auto* value = std::get_if<graph::Value>(&arg)) needed[value->node.n] = true;
    }
  }
  return needed;
}

}  // namespace

void prune(const Functional& program, const std::vector<graph::Output>& outputs,
           const ValueOf& value_of, Plan* plan) {
  const graph::Graph& all = program.graph;
  const std::vector<bool> needed = needed_by(all, outputs);
  GraphSymbols renamed;
  std::vector<graph::NodeId> new_node(all.size());
  std::vector<int> new_input(program.inputs.size(), -1);
  size_t inputs = 0;
  for (size_t n = 0; n < all.size(); ++n) {
    graph::Node node = all.nodes()[n];
    const size_t input = node.is_input() ? inputs++ : 0;
    if (!needed[n]) continue;
    graph::map_sizes(node, [&](Size s) { return renamed(s); });
    if (node.is_input()) {
      new_input[input] = static_cast<int>(plan->inputs.size());
      plan->inputs.push_back(program.inputs[input]);
      plan->base_count += program.inputs[input].base.has_value();
      new_node[n] = plan->graph.add_input(node.name, node.results[0], node.input, node.location);
      continue;
    }
    node.name.clear();
    for (graph::Arg& arg : node.args) {
      if (auto* value = std::get_if<graph::Value>(&arg)) value->node = new_node[value->node.n];
    }
    new_node[n] = plan->graph.add(std::move(node));
  }
  for (const graph::Output& o : outputs) {
    plan->graph.add_output({new_node[o.value.node.n], o.value.output},
                           o.writes < 0 ? -1 : new_input[static_cast<size_t>(o.writes)]);
  }
  std::vector<sym::Expr> symbols;
  std::vector<int64_t> hints;
  for (const auto& [of_calls, of_graph] : renamed.all()) {
    if (sym::is_data(of_calls)) continue;
    plan->symbols.push_back(of_calls);
    symbols.push_back(of_graph);
    hints.push_back(value_of(of_calls));
  }
  plan->graph.set_symbols(std::move(symbols), std::move(hints));
  plan->graph.name_in(graph::order_of_use(plan->graph));
}

}  // namespace vitro::capture
