// Applies shape rules to nodes and evaluates symbolic sizes of a graph, for verify() and passes.
#include "graph/metas.h"

#include <algorithm>
#include <functional>

#include "sym/data_size.h"
#include "vitro/base/error.h"
#include "vitro/ops/shapes.h"

namespace vitro::graph {
namespace {

// Operands as a shape rule sees them.  A number input is represented by a 0 of its kind.
class Arguments {
 public:
  Arguments(const Graph& g, std::span<const Arg> args)
      : stand_ins_(args.size()), list_(args.size()) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (const auto* number = std::get_if<Scalar>(&args[i])) {
        list_[i].number = number;
      } else if (const auto* value = std::get_if<Value>(&args[i])) {
        set(i, g, *value);
      }
    }
  }
  std::span<const Argument> list() const { return list_; }

 private:
  void set(size_t i, const Graph& g, Value value) {
    const TensorMeta& meta = g.meta(value);
    const Node& node = g[value.node];
    if (!node.is_input() || node.input != InputKind::number) {
      list_[i].meta = &meta;
      return;
    }
    const auto kind = is_bool(meta.dtype)       ? Scalar::Kind::boolean
                      : is_floating(meta.dtype) ? Scalar::Kind::floating
                                                : Scalar::Kind::integer;
    stand_ins_[i] = Scalar::from_bits(kind, 0);
    list_[i].number = &stand_ins_[i];
  }

  std::vector<Scalar> stand_ins_;
  std::vector<Argument> list_;
};

}  // namespace

bool fits(const TensorMeta& a, const TensorMeta& b) {
  return a.dtype == b.dtype && a.device == b.device && attribute::same(a.sizes, b.sizes) &&
         attribute::same(a.strides, b.strides);
}

bool same(const TensorMeta& a, const TensorMeta& b) {
  return fits(a, b) && identical(a.offset, b.offset);
}

void add_to(Hasher& h, const TensorMeta& meta) {
  h.add(meta.dtype);
  h.add(meta.device.kind);
  h.add(meta.device.index);
  attribute::add(h, meta.sizes);
  attribute::add(h, meta.strides);
  attribute::add(h, meta.offset);
}

std::vector<TensorMeta> infer(const Graph& g, const OpDef& op, std::span<const Arg> args,
                              AttrsView attrs) {
  VITRO_CHECK(
      args.size() >= op.min_operands && (op.max_operands == 255 || args.size() <= op.max_operands),
      op.name, ": got ", args.size(), " operands, needs ", static_cast<int>(op.min_operands),
      op.max_operands == op.min_operands ? "" : " or more");
  VITRO_CHECK(attrs.type == op.attrs, op.name, ": ",
              op.attrs ? "needs its attributes" : "takes no attributes");
  const Arguments arguments(g, args);
  std::vector<TensorMeta> results;
  ShapeCall call{op.name, arguments.list(), attrs, results};
  op.shape(call);
  return results;
}

std::optional<DataSize> data_size(const Graph& g, const Node& node) {
  if (node.is_input() || !node.op->compaction) return std::nullopt;
  const Size most = infer(g, *node.op, node.args, node.attrs.view()).at(0).sizes[0];
  return DataSize{node.results.at(0).sizes[0].expr(), most.expr()};
}

void add_bounds(const Graph& g, sym::DataBounds& to) {
  for (const Node& node : g.nodes()) {
    if (const auto size = data_size(g, node)) to.add(size->symbol, size->bound);
  }
}

DataGivers::DataGivers(const Graph& g) {
  for (uint32_t n = 0; n < g.size(); ++n) {
    const Node& node = g.nodes()[n];
    if (!node.is_input() && node.op->compaction)
      givers_.emplace_back(node.results[0].sizes[0].expr(), NodeId{n});
  }
}

std::vector<NodeId> DataGivers::needed_by(const Node& node) const {
  std::vector<NodeId> out;
  if (givers_.empty()) return out;
  each_size(node, [&](Size size) {
    if (!is_by_data(size)) return;
    for (const auto& [symbol, giver] : givers_) {
      const bool is_own = !node.results.empty() && node.op && node.op->compaction &&
                          node.results[0].sizes[0].expr() == symbol;
      if (is_own || !sym::contains(size.expr(), symbol)) continue;
      if (std::ranges::find(out, giver) == out.end()) out.push_back(giver);
    }
  });
  return out;
}

OpProgram program_of(const OpDef& op, DType result) {
  if (op.composite) return op.composite->expand;
  return op.contraction && !is_floating(result) ? op.contraction->integer_product : nullptr;
}

DType common_dtype(const Graph& g, const Node& node) {
  return ops::common_dtype(Arguments(g, node.args).list(), *node.op->pointwise,
                           node.results[0].dtype);
}

DType operand_dtype(const Graph& g, const Node& node, size_t i) {
  const Arguments arguments(g, node.args);
  const PointwiseInfo& info = *node.op->pointwise;
  const DType common = ops::common_dtype(arguments.list(), info, node.results[0].dtype);
  return ops::operand_dtype(arguments.list()[i], i, info, common);
}

SymbolValues::SymbolValues(const Graph& g) {
  for (size_t i = 0; i < g.symbols().size(); ++i) note(g.symbols()[i], g.hints()[i]);
}

void SymbolValues::note(sym::Expr symbol, int64_t value) {
  if (!find(symbol)) values_.emplace_back(symbol, value);
}

void SymbolValues::note_size(sym::Expr expr, int64_t value) {
  if (expr.is_symbol()) return note(expr, value);
  sym::Expr unknown;
  std::vector<std::pair<sym::Expr, sym::Expr>> known;
  for (const sym::Expr symbol : sym::symbols_of(expr)) {
    if (const int64_t* found = find(symbol)) {
      known.emplace_back(symbol, sym::Expr(*found));
    } else if (std::exchange(unknown, symbol).defined()) {
      return;
    }
  }
  if (!unknown.defined()) return;
  const auto linear = sym::as_linear(sym::substitute(expr, known), unknown);
  if (!linear) return;
  const auto factor = linear->coefficient.constant(), rest = linear->rest.constant();
  if (factor && rest && *factor != 0) note(unknown, (value - *rest) / *factor);
}

void SymbolValues::note_hints(const TensorMeta& meta) {
  for (const Size size : meta.sizes) {
    if (size.is_symbolic()) note_size(size.expr(), size.hint());
  }
}

const int64_t* SymbolValues::find(sym::Expr symbol) const {
  const auto found = std::find_if(values_.begin(), values_.end(),
                                  [&](const auto& pair) { return pair.first == symbol; });
  return found == values_.end() ? nullptr : &found->second;
}

int64_t SymbolValues::operator()(sym::Expr expr) const {
  return sym::evaluate(expr, [this](sym::Expr symbol) {
    const int64_t* found = find(symbol);
    VITRO_CHECK(found, "graph: no value for the symbol ", symbol);
    return *found;
  });
}

void each_size(const Node& node, const std::function<void(Size)>& f) {
  for (const TensorMeta& meta : node.results) {
    for (const Size size : meta.sizes) f(size);
    for (const Size stride : meta.strides) f(stride);
    f(meta.offset);
  }
  for (const Arg& arg : node.args) {
    const auto* number = std::get_if<Scalar>(&arg);
    if (number && number->is_symbolic()) f(number->size());
  }
  (void)node.attrs.map_sizes([&](Size size) { return f(size), size; });
}

std::vector<sym::Expr> symbols_not_in_sizes(const Graph& g) {
  SymbolValues shown;
  for (const NodeId id : g.inputs()) shown.note_hints(g[id].results[0]);
  std::vector<sym::Expr> out;
  for (const sym::Expr symbol : g.symbols()) {
    if (!shown.find(symbol)) out.push_back(symbol);
  }
  return out;
}

void map_sizes(Node& node, const SizeMap& f) {
  for (Arg& arg : node.args) {
    if (auto* number = std::get_if<Scalar>(&arg)) attribute::map_sizes(*number, f);
  }
  node.attrs = node.attrs.map_sizes(f);
  for (TensorMeta& meta : node.results) {
    attribute::map_sizes(meta.sizes, f);
    attribute::map_sizes(meta.strides, f);
    attribute::map_sizes(meta.offset, f);
  }
}

}  // namespace vitro::graph
