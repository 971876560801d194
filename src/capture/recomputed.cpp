#include "capture/recomputed.h"

#include <utility>

#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/view.h"

namespace vitro::capture {

Recomputed::Recomputed(std::shared_ptr<const Recompute> program, std::vector<Source> sources,
                       std::vector<int64_t> symbols, std::vector<Ints> sizes)
    : program_(std::move(program)),
      sources_(std::move(sources)),
      symbols_(std::move(symbols)),
      sizes_(std::move(sizes)),
      dropped_(sizes_.size(), false) {}

Tensor Recomputed::value(size_t number) {
  const std::lock_guard hold(lock_);
  std::vector<Tensor>& values = values_[call_of_this_thread];
  if (values.empty()) {
    values = computed();
    if (SavedTensors* of_call = saved_tensors()) of_call->add_computed(weak_from_this());
  }
  return values[number];
}

void Recomputed::drop(size_t number) {
  const std::lock_guard hold(lock_);
  dropped_[number] = true;
  for (auto& [call, values] : values_) {
    if (!values.empty()) values[number] = {};
  }
}

void Recomputed::forget() {
  const std::lock_guard hold(lock_);
  values_.erase(call_of_this_thread);
}

std::vector<Tensor> Recomputed::computed() const {
  std::vector<Operand> operands;
  for (const Source& source : sources_) {
    if (!source.tensor.defined()) {
      operands.emplace_back(source.number);
      continue;
    }
    VITRO_CHECK(writes_to(source.tensor) == source.writes,
                "backward: a value that a gradient needs is computed again, from a tensor that was "
                "written since the compiled call; clone it before that");
    operands.emplace_back(source.tensor);
  }
  const SetGradEnabled constants(false);
  const std::vector<Tensor> outputs = graph::interpret(program_->graph, operands, symbols_);
  std::vector<Tensor> values(sizes_.size());
  for (size_t i = 0; i < sizes_.size(); ++i) {
    if (dropped_[i]) continue;
    const Recompute::Result& result = program_->results[i];
    const Tensor& whole = outputs[result.number];
    if (!result.permuted.empty()) {
      values[i] = permute(whole, result.permuted);
    } else if (result.reshaped) {
      values[i] = view(whole, Sizes(std::vector<Size>(sizes_[i].begin(), sizes_[i].end())));
    } else {
      values[i] = whole;
    }
  }
  return values;
}

}  // namespace vitro::capture
