// Runs a graph op by op through the door; a value is released after its last use.
#include "core/storage_table.h"
#include "graph/metas.h"
#include "vitro/base/error.h"
#include "vitro/base/module_path.h"
#include "vitro/core/interpreter.h"
#include "vitro/graph/graph.h"
#include "vitro/ops/create.h"

namespace vitro::graph {
namespace {

class Run {
 public:
  Run(const Graph& g, std::span<const Operand> inputs, std::span<const int64_t> symbols)
      : g_(g), values_(g.size()), readers_(g.size(), 0) {
    VITRO_CHECK(inputs.size() == g.inputs().size(), "interpret: the graph has ", g.inputs().size(),
                " inputs, got ", inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) take_input(g.inputs()[i], inputs[i]);
    bind_symbols(symbols);
    for (const Node& node : g.nodes()) count(node.args, 1);
    for (const Output& output : g.outputs()) ++readers_[output.value.node.n];
  }

  std::vector<Tensor> outputs() {
    for (uint32_t n = 0; n < g_.size(); ++n) {
      const Node& node = g_.nodes()[n];
      if (node.is_input()) continue;
      step(NodeId{n}, node);
      count(node.args, -1);
    }
    std::vector<Tensor> out;
    for (const Output& output : g_.outputs()) {
      const Operand& number = numbers_.at(output.value.node.n);
      VITRO_CHECK(!number.is_number(), "interpret: output ", out.size(),
                  " is a number, outputs are tensors");
      Tensor value = values_[output.value.node.n].at(output.value.output);
      out.push_back(is_shared(value) ? clone(value) : value);
    }
    return out;
  }

 private:
  bool is_shared(const Tensor& value) {
    return !value.is_deferred() && memory_.seen(value.storage());
  }

  void take_input(NodeId id, const Operand& input) {
    const Node& node = g_[id];
    numbers_.resize(g_.size());
    if (node.input == InputKind::number) {
      VITRO_CHECK(input.is_number(), "interpret: input ", node.name, " is a number");
      numbers_[id.n] = input;
      return;
    }
    VITRO_CHECK(input.is_tensor(), "interpret: input ", node.name, " is a tensor");
    const TensorMeta& meta = node.results[0];
    VITRO_CHECK(input.tensor().dtype() == meta.dtype && input.tensor().rank() == meta.rank(),
                "interpret: input ", node.name, " is ", meta.dtype, meta.sizes, ", got ",
                input.tensor().dtype(), input.tensor().sizes());
    values_[id.n] = {input.tensor()};
    (void)memory_.seen(input.tensor().storage());
  }

  void bind_symbols(std::span<const int64_t> given) {
    numbers_.resize(g_.size());
    VITRO_CHECK(given.empty() || given.size() == g_.symbols().size(), "interpret: the graph has ",
                g_.symbols().size(), " symbols, got ", given.size());
    for (size_t i = 0; i < given.size(); ++i) symbols_.note(g_.symbols()[i], given[i]);
    if (g_.symbols().empty() || !given.empty()) return;
    for (const NodeId id : g_.inputs()) {
      const TensorMeta& meta = g_[id].results[0];
      for (size_t d = 0; d < meta.sizes.size(); ++d) {
        if (meta.sizes[d].is_symbolic())
          symbols_.note_size(meta.sizes[d].expr(),
                             values_[id.n][0].size(static_cast<int64_t>(d)).hint());
      }
    }
    for (size_t i = 0; i < g_.symbols().size(); ++i) symbols_.note(g_.symbols()[i], g_.hints()[i]);
  }

  // Adds `change` to the number of pending readers of each operand; releases values without any.
  void count(const std::vector<Arg>& args, int change) {
    for (const Arg& arg : args) {
      const auto* value = std::get_if<Value>(&arg);
      if (!value) continue;
      readers_[value->node.n] += change;
      if (readers_[value->node.n] == 0) values_[value->node.n].clear();
    }
  }

  void step(NodeId id, const Node& node) {
    const SizeMap plain = [this](Size size) { return symbols_.plain(size); };
    std::vector<Operand> operands;
    for (const Arg& arg : node.args) {
      if (const auto* value = std::get_if<Value>(&arg)) {
        const Operand& number = numbers_[value->node.n];
        operands.push_back(number.is_number() ? number
                                              : Operand(values_[value->node.n].at(value->output)));
      } else if (const auto* number = std::get_if<Scalar>(&arg)) {
        Scalar now = *number;
        attribute::map_sizes(now, plain);
        operands.emplace_back(now);
      } else {
        operands.emplace_back();
      }
    }
    const Attrs attrs = symbols_.empty() ? node.attrs : node.attrs.map_sizes(plain);
    std::vector<Tensor> results(node.results.size());
    const ModuleScope in(node.location.module);
    call(OpCall{node.op, operands, attrs.view(), false, std::source_location::current()}, results);
    if (node.op->compaction)
      symbols_.note(node.results[0].sizes[0].expr(), results[0].size(0).value());
    if (readers_[id.n] != 0) values_[id.n] = std::move(results);
  }

  const Graph& g_;
  std::vector<std::vector<Tensor>> values_;  // by node
  std::vector<Operand> numbers_;             // by node: number inputs
  StorageTable memory_;                      // storages of inputs and outputs, which must differ
  std::vector<int> readers_;
  SymbolValues symbols_;
};

}  // namespace

std::vector<Tensor> interpret(const Graph& g, std::span<const Operand> inputs,
                              std::span<const int64_t> symbols) {
  return Run(g, inputs, symbols).outputs();
}

}  // namespace vitro::graph
