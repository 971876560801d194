// Groups, state and the step of all optimizers.
#include "vitro/optim/optimizer.h"

#include <algorithm>
#include <utility>

#include "core/mark_memory.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/varying_numbers.h"
#include "vitro/ops/choose.h"
#include "vitro/ops/create.h"

namespace vitro::optim {

void Optimizer::add_group(const Parameters& parameters) {
  VITRO_CHECK(!parameters.empty(), "optimizer: group ", groups_, " has no parameters");
  Parameters all = parameters_;
  for (Tensor* parameter : parameters) {
    VITRO_CHECK(parameter && parameter->defined(), "optimizer: group ", groups_,
                " has an undefined parameter");
    const bool is_known =
        std::ranges::any_of(all, [&](const Tensor* known) { return known->same_as(*parameter); });
    VITRO_CHECK(!is_known, "optimizer: a parameter of group ", groups_,
                " was given twice; tied weights are given once (Module::parameters)");
    all.push_back(parameter);
  }
  settle();
  parameters_ = std::move(all);
  for (size_t i = states_.size(); i < parameters_.size(); ++i) {
    group_of_.push_back(groups_);
    states_.push_back({std::vector<Tensor>(tensor_names_.size()),
                       std::vector<double>(number_names_.size(), 0.0)});
  }
  ++groups_;
}

// What a compiled function makes has no memory yet, but by its next call.
void Optimizer::mark_memory() const {
  if (!events::wants(events::Detail::memory)) return;
  for (const Tensor* parameter : parameters_) {
    vitro::mark_memory(*parameter, events::MemoryCategory::parameter);
    vitro::mark_memory(parameter->grad(), events::MemoryCategory::gradient);
  }
  for (const State& state : states_) {
    for (const Tensor& one : state.tensors)
      vitro::mark_memory(one, events::MemoryCategory::optimiser);
  }
}

void Optimizer::step(size_t parameter) {
  const Tensor gradient = parameters_[parameter]->grad();
  if (gradient.defined())
    update(*parameters_[parameter], gradient, states_[parameter], group_of_[parameter]);
}

void Optimizer::step() {
  const NoGrad unrecorded;
  const VaryingNumbers of_this_step;
  settle();
  for (size_t i = 0; i < parameters_.size(); ++i) step(i);
  mark_memory();
}

// Tensors of the state that the step makes are dropped by settle() if it is skipped.
void Optimizer::step_unless(const Tensor& skip, size_t parameter) {
  if (!parameters_[parameter]->grad().defined()) return;
  std::vector<Tensor> changed{*parameters_[parameter]}, old;
  for (const Tensor& one : states_[parameter].tensors)
    if (one.defined()) changed.push_back(one);
  for (const Tensor& one : changed) old.push_back(clone(one));
  step(parameter);
  for (size_t k = 0; k < changed.size(); ++k)
    (void)copy_(changed[k], where(skip, old[k], changed[k]));
}

void Optimizer::step_unless(const Tensor& skip) {
  const NoGrad unrecorded;
  settle();
  if (!skip.is_deferred()) {
    if (!skip.item<bool>()) step();
    return;
  }
  const VaryingNumbers of_this_step;
  unsettled_ = {skip, states_};
  for (size_t i = 0; i < parameters_.size(); ++i) step_unless(skip, i);
}

void Optimizer::settle() {
  if (!unsettled_) return;
  const Unsettled last = *std::exchange(unsettled_, std::nullopt);
  if (!last.skip.item<bool>()) return;
  for (size_t i = 0; i < states_.size(); ++i) {  // checkpoints point to each
    std::ranges::copy(last.before[i].tensors, states_[i].tensors.begin());
    std::ranges::copy(last.before[i].numbers, states_[i].numbers.begin());
  }
}

void Optimizer::zero_grad() {
  mark_memory();
  for (Tensor* parameter : parameters_) parameter->set_grad({});
}

std::vector<double*> Optimizer::learning_rates() {
  std::vector<double*> out;
  for (size_t group = 0; group < groups_; ++group) out.push_back(&learning_rate(group));
  return out;
}

std::vector<double*> Optimizer::momenta() {
  std::vector<double*> out;
  for (size_t group = 0; group < groups_; ++group) {
    if (double* one = momentum(group)) out.push_back(one);
  }
  return out;
}

std::vector<std::pair<std::string, Tensor*>> Optimizer::named_tensors() {
  settle();
  std::vector<std::pair<std::string, Tensor*>> out;
  for (size_t i = 0; i < states_.size(); ++i) {
    for (size_t k = 0; k < tensor_names_.size(); ++k)
      out.emplace_back(cat(i, '.', tensor_names_[k]), &states_[i].tensors[k]);
  }
  return out;
}

std::vector<std::pair<std::string, double*>> Optimizer::named_numbers() {
  settle();
  std::vector<std::pair<std::string, double*>> out;
  for (size_t i = 0; i < states_.size(); ++i) {
    for (size_t k = 0; k < number_names_.size(); ++k)
      out.emplace_back(cat(i, '.', number_names_[k]), &states_[i].numbers[k]);
  }
  for (size_t group = 0; group < groups_; ++group)
    out.emplace_back(cat("group.", group, ".lr"), &learning_rate(group));
  return out;
}

}  // namespace vitro::optim
