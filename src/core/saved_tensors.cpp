#include "core/saved_tensors.h"

#include <utility>

namespace vitro {
namespace {

constinit thread_local SavedTensors* current __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace

SavedTensor::~SavedTensor() {
  if (again_) again_->drop(number_);
}

uint32_t SavedTensor::writes() const {
  return again_ ? writes_ : writes_to(tensor_);
}

void SavedTensor::compute_again(std::shared_ptr<ComputedAgain> by, size_t number) {
  writes_ = writes_to(tensor_);
  again_ = std::move(by);
  number_ = number;
  tensor_ = {};
}

std::weak_ptr<SavedTensor>& SavedTensors::at(const Tensor& deferred) {
  const uint32_t slot = deferred.impl()->slot;
  if (slot >= by_slot_.size()) by_slot_.resize(slot + size_t{1});
  return by_slot_[slot];
}

std::shared_ptr<SavedTensor> SavedTensors::add(const Tensor& deferred, FunctionRef<Tensor()> held) {
  if (std::shared_ptr<SavedTensor> known = at(deferred).lock()) return known;
  Tensor tensor = held();
  const auto out = std::make_shared<SavedTensor>(tensor);
  at(tensor) = out;
  at(deferred) = out;
  return out;
}

void SavedTensors::add_outside(const Tensor& tensor) {
  outside_.insert(tensor.impl());
}

std::shared_ptr<SavedTensor> SavedTensors::in_slot(uint32_t slot) const {
  return slot < by_slot_.size() ? by_slot_[slot].lock() : nullptr;
}

void SavedTensors::clear() {
  by_slot_.clear();
  outside_.clear();
  is_any_recorded_ = false;
}

void SavedTensors::forget_computed() {
  for (const std::weak_ptr<ComputedAgain>& one : computed_) {
    if (const auto by = one.lock()) by->forget();
  }
  computed_.clear();
}

SavedTensors* saved_tensors() {
  return current;
}

UsingSavedTensors::UsingSavedTensors(SavedTensors* all) : before_(std::exchange(current, all)) {}

UsingSavedTensors::~UsingSavedTensors() {
  current = before_;
}

}  // namespace vitro
