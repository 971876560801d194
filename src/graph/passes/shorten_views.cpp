#include "graph/metas.h"
#include "graph/passes/algebra.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::graph {
namespace {

constexpr int longest_chain = 8;

using Index = SmallVector<sym::Expr, 6>;

bool is_view(const Graph& g, Value value) {
  return !g[value.node].is_input() && g[value.node].op->kind == OpKind::view;
}

Value operand_of(const Graph& g, Value view) {
  return std::get<Value>(g[view.node].args[0]);
}

// One index variable per dimension, within its size.
Index indices_of(const TensorMeta& meta) {
  Index out;
  for (size_t d = 0; d < meta.sizes.size(); ++d)
    out.push_back(sym::Expr::index(cat('i', d), meta.sizes[d].expr()));
  return out;
}

// Maps an index of the view to the index of the same element in its operand.
Index step(const Graph& g, Value view, const Index& index) {
  const Node& node = g[view.node];
  return node.op->view->map(g.meta(operand_of(g, view)), g.meta(view), node.attrs.view(),
                            std::span<const sym::Expr>(index));
}

// In a dimension of size 1 all indices are equal, as whatever expressions.
bool same_index(const TensorMeta& meta, const Index& a, const Index& b) {
  if (a.size() != b.size()) return false;
  for (size_t d = 0; d < a.size(); ++d) {
    if (!(a[d] == b[d]) && !meta.sizes[d].expr().is(1)) return false;
  }
  return true;
}

bool is_empty(const TensorMeta& meta) {
  for (const Size size : meta.sizes) {
    if (size.expr().is(0)) return true;
  }
  return false;
}

// A value further down the chain with the same elements in the same order.
std::optional<Value> same_further_down(const Graph& g, Value view) {
  const TensorMeta& meta = g.meta(view);
  const Index whole = indices_of(meta);
  Index index = whole;
  Value at = view;
  for (int i = 0; i < longest_chain && is_view(g, at); ++i) {
    index = step(g, at, index);
    at = operand_of(g, at);
    if (fits(g.meta(at), meta) && same_index(meta, index, whole)) return at;
  }
  return std::nullopt;
}

// outer(x), if it equals outer(inner(x)).
std::optional<Value> without_inner(Graph& g, Value outer) {
  const Value inner = operand_of(g, outer);
  if (!is_view(g, inner)) return std::nullopt;
  const Value x = operand_of(g, inner);
  Node node = g[outer.node];
  node.args = {x};
  node.name.clear();
  std::vector<TensorMeta> results;
  try {
    results = infer(g, *node.op, node.args, node.attrs.view());
  } catch (const Error&) {  // the op does not accept x with these attributes
    return std::nullopt;
  }
  const TensorMeta& meta = g.meta(outer);
  if (!fits(results[0], meta)) return std::nullopt;
  const Index whole = indices_of(meta);
  const Index direct = node.op->view->map(g.meta(x), results[0], node.attrs.view(),
                                          std::span<const sym::Expr>(whole));
  if (!same_index(g.meta(x), step(g, inner, step(g, outer, whole)), direct)) return std::nullopt;
  node.results = std::move(results);
  return Value{g.add(std::move(node)), 0};
}

}  // namespace

std::optional<Value> shorten_views(Graph& g, NodeId id) {
  const sym::GuardSink already_asked;  // recorded by the shape rules when the views were made
  const Value view{id, 0};
  if (is_empty(g.meta(view))) return std::nullopt;
  if (const auto same = same_further_down(g, view)) return same;
  return without_inner(g, view);
}

}  // namespace vitro::graph
