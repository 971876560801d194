// Index maps from an element of the result to the elements of the operands, for views, broadcasts,
// gathers and windows.
#include <algorithm>

#include "backend/program/program.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

Index mapped(const ViewInfo& view, const TensorMeta& operand, const TensorMeta& result,
             AttrsView attrs, const Index& index) {
  const auto map = view.map(operand, result, attrs, index);
  return Index(map.begin(), map.end());
}

std::vector<Read> window_operands(const graph::Graph& g, const graph::Node& node,
                                  const Index& index) {
  const WindowInfo& info = *node.op->window;
  const auto operand = std::get<graph::Value>(node.args[0]);
  std::vector<Read> out;
  for (int64_t tap = 0; tap < info.taps(node.attrs.view()); ++tap) {
    const auto at = info.map(g.meta(operand), node.results[0], node.attrs.view(), index, tap);
    out.push_back({operand, Index(at.begin(), at.end())});
  }
  return out;
}

}  // namespace

namespace {

// Whether a symbolic size is 1 and broadcast in this run; known_equal adds a guard on either
// answer, as a plan that is kept for the graph serves other sizes.
bool is_one_of_many(const TensorMeta& operand, const TensorMeta& result, size_t d) {
  if (operand.rank() > result.rank()) return false;
  const Size size = operand.sizes[d];
  const Size wanted = result.sizes[result.sizes.size() - operand.sizes.size() + d];
  return size.is_symbolic() && size.expr() != wanted.expr() && known_equal(size, 1);
}

}  // namespace

Index sizes_of(const TensorMeta& meta) {
  Index out;
  for (const Size size : meta.sizes) out.push_back(size.expr());
  return out;
}

bool is_empty(const TensorMeta& meta) {
  return std::any_of(meta.sizes.begin(), meta.sizes.end(), [](Size s) { return s.expr().is(0); });
}

bool reduces_nothing(const graph::Graph& g, graph::NodeId id) {
  const graph::Node& node = g[id];
  if (node.is_input()) return false;
  const bool reductions =
      node.op->kind == OpKind::reduction || node.op->kind == OpKind::contraction;
  return reductions && is_empty(g.meta(std::get<graph::Value>(node.args[0])));
}

Index broadcast_index(const TensorMeta& operand, const TensorMeta& result, const Index& index) {
  const size_t rank = operand.sizes.size();
  VITRO_ASSERT(rank <= index.size(), "an operand of rank ", rank, " is broadcast to rank ",
               index.size());
  Index out(index.end() - static_cast<std::ptrdiff_t>(rank), index.end());
  for (size_t d = 0; d < rank; ++d) {
    if (operand.sizes[d].expr().is(1) || is_one_of_many(operand, result, d)) out[d] = 0;
  }
  return out;
}

Expr flatten(const Index& index, const Index& sizes) {
  Expr flat = 0;
  for (size_t d = 0; d < index.size(); ++d) flat = flat * sizes[d] + index[d];
  return flat;
}

Index unflatten(Expr flat, const Index& sizes) {
  Index out(sizes.size(), Expr(0));
  const bool empty = std::any_of(sizes.begin(), sizes.end(), [](Expr size) { return size.is(0); });
  if (empty) return out;  // no element has an index
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d].is(1)) continue;
    bool first = true;
    for (size_t outer = 0; outer < d; ++outer) first = first && sizes[outer].is(1);
    out[d] = first ? flat : sym::mod(flat, sizes[d]);
    flat = sym::floordiv(flat, sizes[d]);
  }
  return out;
}

Expr count_of(const Index& sizes) {
  return sym::product(sizes);
}

Expr element_of(const Index& index, const Index& strides) {
  Expr at = 0;
  for (size_t d = 0; d < index.size(); ++d) at = at + index[d] * strides[d];
  return at;
}

Ranks ranks_of(const graph::Graph& g, const graph::Node& node) {
  Ranks out;
  for (const graph::Arg& arg : node.args) {
    const auto* value = std::get_if<graph::Value>(&arg);
    out.push_back(value ? static_cast<int>(g.meta(*value).rank()) : -1);
  }
  return out;
}

Index with_indirect(const Index& others, const IndexedAxes& axes, std::span<const Expr> indirect) {
  Index out = others;
  for (size_t i = 0; i < axes.size(); ++i)
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(axes[i].axis), indirect[i]);
  return out;
}

std::vector<Read> gathered_at(const graph::Graph& g, graph::NodeId id, const Index& index,
                              std::span<const Expr> indirect) {
  const graph::Node& node = g[id];
  const auto value_of = [&](int operand) {
    return std::get<graph::Value>(node.args[static_cast<size_t>(operand)]);
  };
  const GatherSpec spec = node.op->gather->spec(node.attrs.view(), ranks_of(g, node));
  const graph::Value table = value_of(spec.table);
  const auto rank = static_cast<size_t>(g.meta(table).rank());
  std::vector<Read> out{{table, {}}};
  if (rank == 0) {  // one element, selected by any index
    const graph::Value indices = value_of(spec.indexed[0].indices);
    out.push_back({indices, Index(static_cast<size_t>(g.meta(indices).rank()), Expr(0))});
    return out;
  }
  if (spec.same_rank) {
    out[0].index = index;
    out[0].index[static_cast<size_t>(spec.indexed[0].axis)] = indirect[0];
    out.push_back({value_of(spec.indexed[0].indices), index});
    return out;
  }
  // A scalar index has no dimension, but the result may have one of size 1 for it.
  const size_t together = index.size() + spec.indexed.size() - rank;
  const auto from = index.begin() + spec.first, to = from + static_cast<std::ptrdiff_t>(together);
  Index others(index.begin(), from);
  others.insert(others.end(), to, index.end());
  out[0].index = with_indirect(others, spec.indexed, indirect);
  TensorMeta broadcast;
  for (size_t d = 0; d < together; ++d)
    broadcast.sizes.push_back(node.results[0].sizes[static_cast<size_t>(spec.first) + d]);
  for (const IndexedAxis& one : spec.indexed) {
    const graph::Value indices = value_of(one.indices);
    out.push_back({indices, broadcast_index(g.meta(indices), broadcast, Index(from, to))});
  }
  return out;
}

std::vector<Read> operands_at(const graph::Graph& g, graph::NodeId id, const Index& index,
                              Expr indirect) {
  const graph::Node& node = g[id];
  const TensorMeta& result = node.results[0];
  std::vector<Read> out;
  if (node.op->kind == OpKind::gather)
    return gathered_at(g, id, index, std::vector<Expr>(node.args.size(), indirect));
  if (node.op->kind == OpKind::window) return window_operands(g, node, index);
  const bool skip_first = node.op->pointwise && node.op->pointwise->first_is_shape;
  for (size_t i = skip_first ? 1 : 0; i < node.args.size(); ++i) {
    const auto* value = std::get_if<graph::Value>(&node.args[i]);
    if (!value) continue;
    const TensorMeta& meta = g.meta(*value);
    if (node.op->kind == OpKind::view) {
      out.push_back({*value, mapped(*node.op->view, meta, result, node.attrs.view(), index)});
    } else {
      out.push_back({*value, broadcast_index(meta, result, index)});
    }
  }
  return out;
}

namespace {

Index row_major(const Index& sizes) {
  Index strides(sizes.size(), Expr(1));
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  return strides;
}

}  // namespace

Index strides_of_new(const TensorMeta& meta) {
  const Index sizes = sizes_of(meta);
  Index strides;
  for (const Size stride : meta.strides) strides.push_back(stride.expr());
  if (is_empty(meta)) return strides;
  std::vector<bool> done(sizes.size(), false);
  Expr next = 1;
  for (size_t round = 0; round < sizes.size(); ++round) {
    size_t found = sizes.size();
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (!done[d] && (sizes[d].is(1) || (found == sizes.size() && strides[d] == next))) found = d;
    }
    if (found == sizes.size()) return row_major(sizes);
    done[found] = true;
    next = next * sizes[found];
  }
  return strides;
}

}  // namespace vitro::backend
