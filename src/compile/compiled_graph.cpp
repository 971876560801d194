#include "compile/compiled_graph.h"

#include <algorithm>

#include "capture/layout.h"
#include "vitro/core/interpreter.h"

namespace vitro::pipeline {

CompiledGraph::CompiledGraph(graph::Graph graph) : graph_(std::move(graph)) {
  if (!has_data_sizes(graph_)) {
    graphs_ = {&graph_};
    return;
  }
  partition_ = std::make_unique<const Partition>(split_at_data(graph_));
  for (const Subgraph& part : partition_->parts) {
    graphs_.push_back(&part.graph);
    compactions_ += static_cast<int>(part.after.size());
  }
}

// One run of all parts.
struct CompiledGraph::Run {
  CompiledGraph& compiled;
  std::span<const Operand> inputs;
  std::vector<int64_t> symbols;  // the graph's, then the data sizes decided so far
  std::vector<Tensor> held;      // by slot

  Operand operand(const ValueRef& at) const {
    return at.input ? inputs[at.slot] : Operand(held[at.slot]);
  }

  void run_part(const Subgraph& part, backend::Executable* executable) {
    if (!executable) return;
    std::vector<Operand> operands;
    for (const ValueRef& at : part.inputs) operands.push_back(operand(at));
    std::vector<Tensor> made(part.outputs.size());
    executable->run(operands, symbols, made);
    size_t next = 0;
    for (const graph::Output& output : part.graph.outputs()) {
      if (output.writes >= 0) continue;
      held[part.outputs[next]] = laid_out(made[next], part.graph.meta(output.value));
      ++next;
    }
  }

  // Returns the tensor with the strides that other parts expect.
  Tensor laid_out(const Tensor& made, const TensorMeta& meta) const {
    Ints strides;
    for (const Size s : meta.strides) strides.push_back(number(s));
    const bool same = std::ranges::equal(strides, made.impl()->strides);
    return same ? made : capture::copy_with_strides(made, strides);
  }
  int64_t number(Size s) const {
    if (!s.is_symbolic()) return s.hint();
    return sym::evaluate(s.expr(), [this](sym::Expr symbol) {
      const auto& last = compiled.partition_->parts.back().graph.symbols();
      return symbols[static_cast<size_t>(std::ranges::find(last, symbol) - last.begin())];
    });
  }

  void run_deciding(const DecidingOp& deciding) {
    const graph::Node& node = compiled.graph_[deciding.node];
    std::vector<Operand> operands;
    for (const ValueRef& at : deciding.operands) operands.push_back(operand(at));
    Tensor& result = held[deciding.result];
    const Device device = operands[0].tensor().device();
    eager_of(device).call(OpCall{node.op, operands, node.attrs.view(), false, {}}, {&result, 1});
    symbols.push_back(result.impl()->sizes[0]);
  }
};

void CompiledGraph::run(std::span<const Operand> inputs, std::span<const int64_t> symbols,
                        std::span<Tensor> outputs) {
  if (!partition_) return made_[0]->run(inputs, symbols, outputs);
  Run run{*this, inputs, {symbols.begin(), symbols.end()}, std::vector<Tensor>(partition_->slots)};
  for (size_t p = 0; p < made_.size(); ++p) {
    const Subgraph& part = partition_->parts[p];
    run.run_part(part, made_[p].get());
    for (const DecidingOp& deciding : part.after) run.run_deciding(deciding);
    for (const uint32_t slot : part.released) run.held[slot] = {};
  }
  for (size_t i = 0; i < outputs.size(); ++i) outputs[i] = run.held[partition_->outputs[i]];
}

}  // namespace vitro::pipeline
