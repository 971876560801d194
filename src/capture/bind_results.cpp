#include "capture/bind_results.h"

#include <algorithm>

namespace vitro::capture {
namespace {

class ResultBinder {
 public:
  ResultBinder(const RecordedPath& path, const Functional& program, Plan* plan)
      : path_(path), program_(program), plan_(*plan), output_of_(path.table.size(), -1) {}

  // A held tensor is a window on the output for its memory, or on the external input.
  void add_result(uint32_t slot) {
    const uint32_t from = path_.table.root(slot);
    const bool outside = path_.table[from].input != nullptr;
    plan_.results.push_back(binding_of(slot, from, outside ? -1 : output_of(from)));
  }

  // Always an output, even if not held: the program may ask for the size later.
  void add_data_size(const TraceNode& node) {
    if (!node.data_size.defined()) return;
    plan_.data.emplace_back(&node, static_cast<size_t>(output_of(node.first_slot)));
  }

  // Writes to external inputs.
  void add_written(uint32_t memory) {
    const Functional::Memory& m = program_.memories[memory];
    if (m.version == 0 || !(path_.is_base(memory) || path_.table[memory].input)) return;
    plan_.written.push_back(program_.inputs[static_cast<size_t>(m.input)].slot);
    outputs_.push_back({*m.value, m.input});
  }

  std::vector<graph::Output> take() { return std::move(outputs_); }

 private:
  int output_of(uint32_t slot) {
    int& output = output_of_[slot];
    if (output >= 0) return output;
    output = static_cast<int>(plan_.outputs.size());
    plan_.outputs.push_back(path_.table[slot].meta);
    outputs_.push_back({*program_.memories[slot].value, -1});
    return output;
  }

  ResultBinding binding_of(uint32_t slot, uint32_t from, int output) const {
    ResultBinding binding;
    binding.slot = slot;
    binding.memory = from;
    binding.output = output;
    binding.outside = output < 0 ? from : no_slot;
    binding.whole = slot == from;
    binding.meta = path_.table[slot].meta;
    binding.symbolic = binding.meta->offset.is_symbolic();
    for (const Size s : binding.meta->sizes) {
      binding.sizes.push_back(s.hint());
      binding.symbolic |= s.is_symbolic();
    }
    for (const Size s : binding.meta->strides) {
      binding.strides.push_back(s.hint());
      binding.symbolic |= s.is_symbolic();
    }
    binding.offset = binding.meta->offset.hint();
    binding.sized_by_data = is_sized_by_data(*binding.meta);
    return binding;
  }

  const RecordedPath& path_;
  const Functional& program_;
  Plan& plan_;
  std::vector<int> output_of_;  // by slot; -1: none yet
  std::vector<graph::Output> outputs_;
};

}  // namespace

std::vector<graph::Output> bind_results(const RecordedPath& path, const Functional& program,
                                        const std::vector<uint64_t>& live, Plan* plan) {
  ResultBinder binder(path, program, plan);
  for (uint32_t slot = 0; slot < path.table.size(); ++slot) {
    if (has_slot(live, slot)) binder.add_result(slot);
  }
  for (const TraceNode* node : path.nodes) binder.add_data_size(*node);
  for (uint32_t memory = 0; memory < path.memory_count(); ++memory) binder.add_written(memory);
  return binder.take();
}

}  // namespace vitro::capture
