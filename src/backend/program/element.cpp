// Builds the loop value of an element: runs the body of pointwise and window ops, and reads through
// indirect indices for gathers.
#include "backend/program/element.h"

#include <algorithm>

#include "backend/program/bodies.h"
#include "graph/metas.h"
#include "loop/kernel.h"
#include "vitro/base/error.h"

namespace vitro::backend {
namespace {

using loop::Value;

Value value_of_number(const Scalar& number, DType dtype, loop::Pool& pool) {
  if (number.is_symbolic()) return cast(pool.index(number.expr()), dtype);
  if (number.is_floating()) return pool.constant(dtype, number.as_double());
  return pool.constant(dtype, number.as_int());
}

class Pointwise {
 public:
  Pointwise(const graph::Graph& g, graph::NodeId id, const Index& index, ElementSource& source)
      : g_(g), node_(g[id]), id_(id), index_(index), source_(source) {}

  Value run() {
    const PointwiseInfo& info = *node_.op->pointwise;
    const DType common = graph::common_dtype(g_, node_);
    if (info.copied_operand >= 0) {  // not via the compute type: copies are exact
      return operand(node_.args[static_cast<size_t>(info.copied_operand)], common);
    }
    std::vector<Value> operands;
    for (size_t i = 0; i < node_.args.size(); ++i) {
      if (std::holds_alternative<std::monostate>(node_.args[i])) continue;
      if (i == 0 && info.first_is_shape) {
        operands.push_back(source_.pool().constant(compute_type(common), 0.0));
        continue;
      }
      Value v = operand(node_.args[i], graph::operand_dtype(g_, node_, i));
      if (i != 0 || !info.first_is_condition) v = cast(v, compute_type(common));
      if (i == 1 && info.integer_divisor && is_integer(common)) v = source_.not_zero(id_, v);
      operands.push_back(v);
    }
    const auto at = [this](int d) {
      const auto rank = static_cast<int>(index_.size());
      return source_.pool().index(-d <= rank ? index_[static_cast<size_t>(rank + d)] : Expr(0));
    };
    return run_pointwise(*node_.op, node_.attrs.view(), operands, at);
  }

 private:
  Value operand(const graph::Arg& arg, DType dtype) {
    if (const auto* number = std::get_if<Scalar>(&arg)) {
      return value_of_number(*number, dtype, source_.pool());
    }
    const auto value = std::get<graph::Value>(arg);
    const graph::Node& made = g_[value.node];
    if (made.is_input() && made.input == graph::InputKind::number) {
      return cast(source_.number(value.node), dtype);
    }
    return cast(source_.read(value, broadcast_index(g_.meta(value), node_.results[0], index_)),
                dtype);
  }

  const graph::Graph& g_;
  const graph::Node& node_;
  graph::NodeId id_;
  const Index& index_;
  ElementSource& source_;
};

bool depends_on(Value v, Expr symbol) {
  for (const loop::Node* node : loop::nodes_below({v})) {
    if (node->index.defined() && sym::contains(node->index, symbol)) return true;
  }
  return false;
}

// Makes `made` depend on the indirect index, so that its range check is not dropped: if all
// elements of the table are equal, `made` has no such dependency.  The condition is never true,
// because an index in range does not equal the bound.
Value with_indirect_index(Value made, Expr symbol, Expr bound, loop::Pool& pool) {
  if (symbol.constant() || depends_on(made, symbol)) return made;
  const Value nothing = cast(pool.constant(DType::i64, int64_t{0}), made.dtype());
  return where(pool.index(symbol) == pool.index(bound), nothing, made);
}

Value gathered(const graph::Graph& g, graph::NodeId id, const Index& index, ElementSource& source) {
  const graph::Node& node = g[id];
  const GatherSpec spec = node.op->gather->spec(node.attrs.view(), ranks_of(g, node));
  const std::vector<Expr> unknown(spec.indexed.size(),
                                  Expr::symbol("indirect", {0, sym::unbounded}));
  const std::vector<Read> reads = gathered_at(g, id, index, unknown);
  const TensorMeta& table = g.meta(reads[0].value);
  const std::vector<Expr> symbols = indirect_indices(id, table.sizes, spec.indexed, spec.wraps,
                                                     std::span(reads).subspan(1), source);
  // No index is in range: only the indices' checks matter.
  if (is_empty(table)) {
    Expr all = 0;
    for (const Expr symbol : symbols) all = all + symbol;
    return cast(source.pool().index(all), table.dtype);
  }
  const Read read = gathered_at(g, id, index, symbols)[0];
  Value made = source.read(read.value, read.index);
  for (size_t i = 0; i < symbols.size(); ++i) {
    const auto axis = static_cast<size_t>(spec.indexed[i].axis);
    const Expr bound = table.rank() == 0 ? Expr(1) : table.sizes[axis].expr();
    made = with_indirect_index(made, symbols[i], bound, source.pool());
  }
  return made;
}

// Whether the index is in range.
Value is_inside(const TensorMeta& meta, const Index& index, loop::Pool& pool) {
  Value inside = pool.constant(DType::boolean, int64_t{1});
  for (size_t d = 0; d < index.size(); ++d) {
    inside = inside && pool.not_negative(index[d]) &&
             pool.not_negative(meta.sizes[d].expr() - 1 - index[d]);
  }
  return inside;
}

// The row-major index of an element in its plane, the last `dims` dimensions.
Value position_in_plane(const TensorMeta& meta, const Index& index, int dims, loop::Pool& pool) {
  Expr position = 0;
  for (size_t d = index.size() - std::min(index.size(), static_cast<size_t>(dims));
       d < index.size(); ++d)
    position = position * meta.sizes[d].expr() + index[d];
  return pool.index(position);
}

Value windowed(const graph::Graph& g, graph::NodeId id, const Index& index, uint32_t result,
               ElementSource& source) {
  const graph::Node& node = g[id];
  const WindowInfo& info = *node.op->window;
  const AttrsView attrs = node.attrs.view();
  const WindowBody& body = window_body(*node.op);
  loop::Pool& pool = source.pool();
  const auto operand = std::get<graph::Value>(node.args[0]);
  const TensorMeta& meta = g.meta(operand);
  const DType type = info.computes(meta.dtype);
  WindowBody::State state = body.init(attrs, pool.constant(type, int64_t{0}));
  if (!is_empty(meta)) {
    for (const Read& read : operands_at(g, id, index, Expr())) {
      const Value inside = info.leaves ? is_inside(meta, read.index, pool)
                                       : pool.constant(DType::boolean, int64_t{1});
      const Value read_there = source.read_where(operand, read.index, inside);
      const Value x = cast(where(inside, read_there, like(read_there, 0)), type);
      state = body.combine(state, x, inside, position_in_plane(meta, read.index, body.plane, pool));
    }
  }
  const Expr count = info.count ? info.count(meta, node.results[0], attrs, index) : Expr(1);
  const DType counts_in = info.integer_count ? DType::i64 : type;
  Value counts = cast(pool.index(count), counts_in);
  // The lanes after the last element may count 0, by which an integer must not be divided.
  if (info.count && is_integer(counts.dtype()) && !info.integer_count)
    counts = where(counts == 0, 1, counts);
  return body.results(attrs, state, counts)[result];
}

// The result of a reduction or product over no elements.
Value reduced_nothing(const graph::Node& node, const TensorMeta& operand, loop::Pool& pool) {
  const DType result = node.results[0].dtype;
  if (node.op->kind == OpKind::contraction) return pool.constant(result, int64_t{0});
  const DType state = node.op->reduction->state(operand.dtype, result);
  const ReductionBody& body = reduction_body(*node.op);
  const Value zero = pool.constant(state, int64_t{0});
  return body.finish(body.init(zero), zero)[0];
}

// A source with plain loads, to compute the cost of a node by itself.
class Loads : public ElementSource {
 public:
  explicit Loads(const graph::Graph& g) : g_(g) {}
  loop::Pool& pool() override { return pool_; }
  Value read(graph::Value value, const Index&) override {
    return pool_.load(static_cast<int>(value.node.n), g_.meta(value).dtype, 0);
  }
  Value read_where(graph::Value value, const Index& index, Value) override {
    return read(value, index);
  }
  Value number(graph::NodeId input) override { return pool_.number(0, g_[input].results[0].dtype); }
  Expr indirect_index(graph::NodeId, Value, const IndexedDimension&) override { return 0; }
  Value not_zero(graph::NodeId, Value divisor) override { return divisor; }

 private:
  const graph::Graph& g_;
  loop::Pool pool_;
};

}  // namespace

Value element(const graph::Graph& g, graph::NodeId id, const Index& index, ElementSource& source,
              uint32_t result) {
  const graph::Node& node = g[id];
  Value made;
  if (node.op->kind == OpKind::gather) {
    made = gathered(g, id, index, source);
  } else if (node.op->kind == OpKind::window) {
    made = windowed(g, id, index, result, source);
  } else if (node.op->kind == OpKind::pointwise) {
    made = Pointwise(g, id, index, source).run();
  } else {
    const TensorMeta& operand = g.meta(std::get<graph::Value>(node.args[0]));
    made = reduced_nothing(node, operand, source.pool());
  }
  return cast(made, node.results[0].dtype);
}

std::vector<Expr> indirect_indices(graph::NodeId node, const Sizes& sizes, const IndexedAxes& axes,
                                   bool wraps, std::span<const Read> reads, ElementSource& source) {
  std::vector<Expr> out;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axes[i].axis;
    const Expr size = sizes.empty() ? Expr(1) : sizes[static_cast<size_t>(axis)].expr();
    const Value index = cast(source.read(reads[i].value, reads[i].index), DType::i64);
    out.push_back(source.indirect_index(node, index, {size, axis, wraps}));
  }
  return out;
}

int element_cost(const graph::Graph& g, graph::NodeId id) {
  Loads source(g);
  const Index index(g[id].results[0].sizes.size(), Expr(0));
  const Value v = element(g, id, index, source);
  int cost = 0;
  for (const loop::Node* node : loop::nodes_below({v})) {
    if (!reads_memory(*node)) cost += info(node->fn).cost;
  }
  return cost + (g[id].op->kind == OpKind::gather ? 8 : 0);
}

}  // namespace vitro::backend
