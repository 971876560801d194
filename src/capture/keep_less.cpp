// Applies a partition to a plan: results that are computed again are no longer outputs, and values
// that they are computed from become outputs.
#include "capture/keep_less.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "aot/partition.h"
#include "capture/prune.h"
#include "vitro/graph/pass.h"

namespace vitro::capture {
namespace {

using graph::Output;
using graph::Value;

bool is_row_major(const TensorMeta& meta) {
  return attribute::same(meta.strides, contiguous_strides(meta.sizes));
}

Size elements_of(const TensorMeta& meta) {
  Size out = 1;
  for (const Size s : meta.sizes) out = out * s;
  return out;
}

// Recompute::Result::permuted of a tensor, as far as it is a window of that kind on its memory.
std::optional<std::vector<int64_t>> permutation(const TensorMeta& tensor,
                                                const TensorMeta& memory) {
  if (tensor.offset.is_symbolic() || tensor.offset.hint() != 0) return std::nullopt;
  const bool same = attribute::same(tensor.sizes, memory.sizes) &&
                    attribute::same(tensor.strides, memory.strides);
  if (same || (is_row_major(tensor) && is_row_major(memory) &&
               attribute::same(Sizes{elements_of(tensor)}, Sizes{elements_of(memory)})))
    return std::vector<int64_t>();
  std::vector<int64_t> out;
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    for (size_t from = 0; from < memory.sizes.size() && out.size() == d; ++from) {
      const bool is_taken = std::ranges::find(out, static_cast<int64_t>(from)) != out.end();
      if (!is_taken && attribute::same(Sizes{tensor.sizes[d], tensor.strides[d]},
                                       Sizes{memory.sizes[from], memory.strides[from]}))
        out.push_back(static_cast<int64_t>(from));
    }
    if (out.size() == d) return std::nullopt;
  }
  if (out.size() != memory.sizes.size()) return std::nullopt;
  return out;
}

bool contains(const std::vector<Value>& values, Value v) {
  return std::ranges::find(values, v) != values.end();
}

class KeepLess {
 public:
  KeepLess(const RecordedPath& path, const std::vector<uint64_t>& saved, Functional& program,
           std::vector<Output>& outputs, Plan& plan)
      : path_(path), saved_(saved), program_(program), outputs_(outputs), plan_(plan) {}

  void run(double memory_budget, const ValueOf& value_of) {
    graph::Graph graph = program_.graph;
    graph.set_outputs(outputs_);
    graph = graph::decompose(std::move(graph));
    const aot::Needs needs = needs_of(graph, memory_budget);
    if (needs.values.empty()) return;
    const aot::Partition parts = aot::partition(graph, needs);
    if (parts.again.empty()) return;
    changing_ = needs.changing;
    outputs_ = graph.outputs();
    program_.graph = std::move(graph);
    again_->needed_bytes = parts.needed_bytes;
    again_->kept_bytes = parts.kept_bytes;
    plan_.again = again_;
    leave_out(parts.again);
    for (const Value v : parts.keep) add_output(v);
    add_program(parts.again, value_of);
  }

 private:
  // The outputs of the plan are those of the segment that come first; the others are written to
  // inputs.
  aot::Needs needs_of(const graph::Graph& graph, double memory_budget) const {
    std::vector<bool> is_needed(graph.outputs().size(), false);
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      const Value v = graph.outputs()[o].value;
      is_needed[o] = !graph[v.node].is_input() &&
                     attribute::same(graph.meta(v).strides, plan_.outputs[o]->strides);
    }
    for (const ResultBinding& result : plan_.results) {
      if (result.output < 0) continue;
      const auto o = static_cast<size_t>(result.output);
      if (!has_slot(saved_, result.slot) || !permutation(*result.meta, *plan_.outputs[o]))
        is_needed[o] = false;
    }
    aot::Needs out{{}, {}, inputs_there(), memory_budget};
    // An output belongs to the first list that takes it.
    const auto take = [&](std::vector<Value>& list, auto&& takes) {
      for (size_t o = 0; o < is_needed.size(); ++o) {
        const Value v = graph.outputs()[o].value;
        const bool is_taken =
            contains(out.kept, v) || contains(out.changing, v) || contains(out.values, v);
        if (!is_taken && takes(o)) list.push_back(v);
      }
    };
    take(out.kept, [&](size_t o) { return !is_needed[o] && is_saved(o); });
    take(out.changing, [&](size_t o) { return !is_needed[o]; });
    take(out.values, [](size_t) { return true; });
    return out;
  }

  // Whether a gradient holds the output, so that it must not be written before.
  bool is_saved(size_t output) const {
    return std::ranges::any_of(plan_.results, [&](const ResultBinding& result) {
      return result.output == static_cast<int>(output) && has_slot(saved_, result.slot);
    });
  }

  // Numbers, parameters, and tensors that gradients hold anyway, unless the segment writes to them.
  std::vector<bool> inputs_there() const {
    std::vector<bool> out;
    for (const Plan::Input& input : program_.inputs) {
      if (input.slot == no_slot || input.base) {
        out.push_back(input.slot == no_slot);
        continue;
      }
      const bool is_held = path_.table[input.slot].input->is_parameter ||
                           has_slot(saved_, input.slot) ||
                           std::ranges::any_of(plan_.results, [&](const ResultBinding& result) {
                             return result.outside == input.slot && has_slot(saved_, result.slot);
                           });
      out.push_back(is_held && std::ranges::find(plan_.written, input.slot) == plan_.written.end());
    }
    return out;
  }

  void leave_out(const std::vector<Value>& again) {
    std::vector<Output> outputs;
    std::vector<const TensorMeta*> metas;
    std::vector<int> now(plan_.outputs.size(), -1);
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      if (contains(again, outputs_[o].value)) continue;
      now[o] = static_cast<int>(outputs.size());
      outputs.push_back(outputs_[o]);
      metas.push_back(plan_.outputs[o]);
    }
    written_.assign(outputs_.begin() + static_cast<ptrdiff_t>(plan_.outputs.size()),
                    outputs_.end());
    std::vector<ResultBinding> results;
    for (ResultBinding& result : plan_.results) {
      if (result.output >= 0 && now[static_cast<size_t>(result.output)] < 0) {
        const Value v = outputs_[static_cast<size_t>(result.output)].value;
        const auto number = std::ranges::find(again, v) - again.begin();
        const TensorMeta& memory = *plan_.outputs[static_cast<size_t>(result.output)];
        std::vector<int64_t> permuted = *permutation(*result.meta, memory);
        const bool reshaped = !attribute::same(result.meta->sizes, memory.sizes);
        again_->results.push_back(
            {static_cast<size_t>(number), std::move(result), std::move(permuted), reshaped});
        continue;
      }
      if (result.output >= 0) result.output = now[static_cast<size_t>(result.output)];
      results.push_back(std::move(result));
    }
    plan_.results = std::move(results);
    plan_.outputs = std::move(metas);
    outputs_ = std::move(outputs);
  }

  void add_output(Value v) {
    const auto is_new = std::ranges::find(outputs_, v, &Output::value) == outputs_.end();
    if (!is_new) return;
    outputs_.push_back({v, -1});
    plan_.outputs.push_back(&again_->metas.emplace_back(program_.graph.meta(v)));
  }

  // The program that computes what was left out, from outputs and inputs.
  void add_program(const std::vector<Value>& again, const ValueOf& value_of) {
    std::vector<Value> given;
    for (const Output& output : outputs_) {
      if (!contains(changing_, output.value)) given.push_back(output.value);
    }
    const aot::Rematerialization made = aot::rematerialization(program_.graph, again, given);
    Functional program;
    program.graph = made.graph;
    for (uint32_t i = 0; i < made.sources.size(); ++i) program.inputs.push_back({.slot = i});
    Plan plan;
    prune(program, made.graph.outputs(), value_of, &plan);
    Recompute& to = *again_;
    to.graph = std::move(plan.graph);
    to.symbols = std::move(plan.symbols);
    for (const Plan::Input& input : plan.inputs)
      to.sources.push_back(source_of(made.sources[input.slot]));
    outputs_.insert(outputs_.end(), written_.begin(), written_.end());
  }

  Recompute::Source source_of(Value v) const {
    const auto output = std::ranges::find(outputs_, v, &Output::value);
    if (output != outputs_.end()) return {static_cast<int>(output - outputs_.begin()), {}};
    const auto& inputs = program_.graph.inputs();
    const auto at = std::ranges::find(inputs, v.node) - inputs.begin();
    return {-1, program_.inputs[static_cast<size_t>(at)]};
  }

  const RecordedPath& path_;
  const std::vector<uint64_t>& saved_;
  Functional& program_;
  std::vector<Output>& outputs_;
  std::vector<Output> written_;
  std::vector<Value> changing_;  // aot::Needs::changing
  Plan& plan_;
  const std::shared_ptr<Recompute> again_ = std::make_shared<Recompute>();
};

}  // namespace

void keep_less(const RecordedPath& path, const std::vector<uint64_t>& saved, double memory_budget,
               const ValueOf& value_of, Functional& program, std::vector<graph::Output>& outputs,
               Plan* plan) {
  // Sizes that data decide are known only after the call.
  if (plan->data.empty())
    KeepLess(path, saved, program, outputs, *plan).run(memory_budget, value_of);
}

}  // namespace vitro::capture
