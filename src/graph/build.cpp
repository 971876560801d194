// Builder, an interpreter that records calls as nodes of a graph.  Passes and tests use it to write
// graphs in public ops (vitro/graph/build.h).
#include "vitro/graph/build.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <optional>

#include "graph/metas.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"

namespace vitro::graph {
namespace {

uint64_t next_number() {
  static std::atomic<uint64_t> last{builder_calls};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

OpProgram program_of(const OpCall& call) {
  const bool product = call.op->contraction != nullptr;
  return graph::program_of(*call.op, product ? call.operands[0].tensor().dtype() : DType::f32);
}

}  // namespace

struct Builder::State {
  Graph graph;
  uint64_t number = next_number();
  std::deque<Value> values;      // by slot
  std::deque<TensorMeta> metas;  // by slot; deferred tensors point to them
  SymbolValues symbols;
  std::optional<SourceLocation> location;
  bool expand = false;

  Tensor deferred(Value value) {
    values.push_back(value);
    metas.push_back(graph.meta(value));
    symbols.note_hints(metas.back());
    TensorImpl* impl = new_impl();
    impl->dtype = metas.back().dtype;
    impl->device = metas.back().device;
    impl->call = number;
    impl->slot = static_cast<uint32_t>(values.size() - 1);
    impl->deferred = &metas.back();
    return Tensor(impl);
  }

  Arg arg(const OpDef& op, const Operand& operand) const {
    if (operand.is_number()) return operand.number();
    if (!operand.is_tensor()) return std::monostate{};
    const TensorImpl& impl = *operand.tensor().impl();
    VITRO_CHECK(
        impl.call == number, op.name,
        ": a graph builder accepts only its own tensors; make the tensor an input of the graph");
    return values[impl.slot];
  }

  void note_expr(Size size) {
    if (size.is_symbolic()) symbols.note_size(size.expr(), size.hint());
  }
};

Builder::Builder() : state_(std::make_unique<State>()) {}

Builder::Builder(Graph start) : Builder() {
  state_->symbols = SymbolValues(start);
  state_->graph = std::move(start);
}

Builder::~Builder() = default;

Tensor Builder::input(std::string name, TensorMeta meta, InputKind kind) {
  VITRO_CHECK(kind != InputKind::number, "builder: a number input has no tensor; use Graph::add");
  VITRO_CHECK(!is_complex(meta.dtype), "builder: a graph has no complex values, got an input of ",
              meta.dtype, "; make it one of pairs [..., 2] and call Tensor::of_pairs");
  std::vector<sym::Expr> symbols = state_->graph.symbols();
  state_->symbols.note_hints(meta);
  for (const Size size : meta.sizes) {
    if (!size.is_symbolic()) continue;
    for (const sym::Expr symbol : sym::symbols_of(size.expr())) {
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end())
        symbols.push_back(symbol);
    }
  }
  std::vector<int64_t> hints;
  for (const sym::Expr symbol : symbols) hints.push_back(state_->symbols(symbol));
  state_->graph.set_symbols(std::move(symbols), std::move(hints));
  return tensor({state_->graph.add_input(std::move(name), std::move(meta), kind), 0});
}

Tensor Builder::tensor(Value value) {
  return state_->deferred(value);
}

Value Builder::value(const Tensor& tensor) const {
  VITRO_CHECK(tensor.defined() && tensor.impl()->call == state_->number,
              "builder: this tensor does not belong to it");
  return state_->values[tensor.impl()->slot];
}

void Builder::output(const Tensor& tensor, int writes) {
  state_->graph.add_output(value(tensor), writes);
}

Graph Builder::take() {
  return std::exchange(state_->graph, {});
}

void Builder::set_location(SourceLocation location) {
  state_->location = location;
}

void Builder::set_expand(bool on) {
  state_->expand = on;
}

void Builder::call(const OpCall& call, std::span<Tensor> results) {
  VITRO_CHECK(!call.in_place, call.op->name,
              ": a graph builder records values and cannot write in place");
  if (const OpProgram program = state_->expand ? program_of(call) : nullptr)
    return program(call.operands, call.attrs, results);
  std::vector<Arg> args;
  args.reserve(call.operands.size());
  for (const Operand& operand : call.operands) {
    args.push_back(state_->arg(*call.op, operand));
    if (operand.is_number() && operand.number().is_symbolic())
      state_->note_expr(operand.number().size());
  }
  const SourceLocation here{call.where.file_name(), call.where.line(), current_module,
                            CalledAs::current().name};
  const NodeId id = state_->graph.add(*call.op, std::move(args), Attrs(call.attrs),
                                      state_->location.value_or(here));
  VITRO_ASSERT(state_->graph[id].results.size() == results.size());
  for (size_t i = 0; i < results.size(); ++i) results[i] = tensor({id, static_cast<uint32_t>(i)});
}

void Builder::materialize(TensorImpl&, Need need, std::source_location where) {
  const std::string place = file_and_line(where);
  VITRO_CHECK(false, place, place.empty() ? "" : ": ", need == Need::item ? "item" : "data",
              ": a graph is being built; tensors have no values yet");
}

std::optional<int64_t> Builder::value_of(sym::Expr expr) const {
  for (const sym::Expr symbol : sym::symbols_of(expr)) {
    if (!state_->symbols.find(symbol)) return std::nullopt;
  }
  return state_->symbols(expr);
}

uint64_t Builder::call_number() const {
  return state_->number;
}

}  // namespace vitro::graph
