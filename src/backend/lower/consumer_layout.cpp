#include "backend/lower/consumer_layout.h"

#include <algorithm>

namespace vitro::backend {
namespace {

Index indices_for(const Index& sizes) {
  Index out;
  for (const Expr size : sizes) {
    out.push_back(size.is(1) ? Expr(0) : Expr::index(cat("d", out.size()), size));
  }
  return out;
}

// The index in a view's result at which element `at` of its operand appears; for a permutation or a
// reshape.
std::optional<Index> through(const graph::Graph& g, graph::NodeId view, const Index& at) {
  const graph::Value operand = std::get<graph::Value>(g[view].args[0]);
  const Index from = sizes_of(g.meta(operand)), to = sizes_of(g[view].results[0]);
  if (!(count_of(from) == count_of(to))) return std::nullopt;
  const Index own = indices_for(to);
  const Index read = operands_at(g, view, own, Expr())[0].index;
  if (flatten(read, from) == flatten(own, to)) return unflatten(flatten(at, from), to);
  Index out(own.size(), Expr(0));
  size_t found = 0;
  for (size_t d = 0; d < own.size(); ++d) {
    if (own[d].constant()) continue;
    const auto source = std::find(read.begin(), read.end(), own[d]);
    if (source == read.end()) return std::nullopt;
    out[d] = at[static_cast<size_t>(source - read.begin())];
    ++found;
  }
  const auto varying = std::count_if(at.begin(), at.end(), [](Expr e) { return !e.constant(); });
  if (static_cast<std::ptrdiff_t>(found) != varying) return std::nullopt;
  return out;
}

// The views between an operand and the node that computes it, innermost first.
std::vector<graph::NodeId> views_below(const Program& program, graph::Value operand) {
  std::vector<graph::NodeId> out;
  const graph::Graph& g = program.graph();
  while (!g[operand.node].is_input() && program.is_inlined(operand.node) &&
         g[operand.node].op->kind == OpKind::view) {
    out.insert(out.begin(), operand.node);
    operand = std::get<graph::Value>(g[operand.node].args[0]);
  }
  return out;
}

bool is_maker(const Program& program, graph::Value operand, ComputeNodeId made) {
  const std::vector<graph::NodeId> views = views_below(program, operand);
  const graph::Graph& g = program.graph();
  const graph::Value from = views.empty() ? operand : std::get<graph::Value>(g[views[0]].args[0]);
  return from.node == program[made].value.node;
}

}  // namespace

std::optional<ConsumerLayout> consumer_layout(const Program& program, ComputeNodeId made) {
  const graph::Graph& g = program.graph();
  const auto& readers = program.readers(made);
  if (program[made].kind == ComputeKind::opaque || program[made].kind == ComputeKind::sort ||
      program[made].role != ComputeRole::result || program.is_output(made) || readers.size() != 1 ||
      program[readers[0]].kind != ComputeKind::product) {
    return std::nullopt;
  }
  const graph::Node& product = g[program[readers[0]].value.node];
  if (product.op->contraction->windows) return std::nullopt;
  const auto left = std::get<graph::Value>(product.args[0]);
  const auto right = std::get<graph::Value>(product.args[1]);
  const bool is_left = is_maker(program, left, made);
  if (is_left == is_maker(program, right, made)) return std::nullopt;
  const graph::Value operand = is_left ? left : right;
  const Index start = indices_for(sizes_of(g.meta(program[made].value)));
  Index at = start;
  for (const graph::NodeId view : views_below(program, operand)) {
    const auto next = through(g, view, at);
    if (!next) return std::nullopt;
    at = *next;
  }
  const Expr element = flatten(at, sizes_of(g.meta(operand)));
  if (start.empty() || start.back().constant()) return std::nullopt;
  const auto along = sym::as_linear(element, start.back());
  if (!along || !along->coefficient.is(1)) return std::nullopt;
  return ConsumerLayout{start, element};
}

}  // namespace vitro::backend
