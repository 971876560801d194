// The tensors that gradients keep while a compiled function runs.
//
// Autograd adds each deferred tensor that a node saves; when a segment ends, capture sees which
// tensors nothing else holds, and may leave some of these uncomputed: whoever asks for one later
// gets it from a program that computes it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "vitro/base/function_ref.h"
#include "vitro/core/interpreter.h"
#include "vitro/core/tensor.h"

namespace vitro {

// A program that computes tensors again.  Threads: any.
class ComputedAgain {
 public:
  virtual ~ComputedAgain() = default;
  // Error if what it is computed from was written since.
  virtual Tensor value(size_t number) = 0;
  // Nobody asks for this one any more.
  virtual void drop(size_t number) = 0;
  // Forgets what it has computed, which ends with the call that it was computed in.
  virtual void forget() = 0;
};

// A tensor that nodes have saved, of which they share one handle.  Threads: that of the call until
// its segment ends, then any.
class SavedTensor {
 public:
  explicit SavedTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  ~SavedTensor();
  SavedTensor(const SavedTensor&) = delete;

  bool holds(const TensorImpl& tensor) const { return tensor_.impl() == &tensor; }
  Tensor value() const { return again_ ? again_->value(number_) : tensor_; }
  uint32_t writes() const;  // to its memory, by the program
  bool is_computed_again() const { return again_ != nullptr; }
  // Lets the tensor go, which is computed again when it is needed.
  void compute_again(std::shared_ptr<ComputedAgain> by, size_t number);

 private:
  Tensor tensor_;
  std::shared_ptr<ComputedAgain> again_;
  size_t number_ = 0;
  uint32_t writes_ = 0;  // once it is computed again
};

// Those of the running call.
class SavedTensors {
 public:
  // Of a deferred tensor of the call: the same each time.  `held`: the handle to hold, for its
  // elements.
  std::shared_ptr<SavedTensor> add(const Tensor& deferred, FunctionRef<Tensor()> held);
  // Notes that one that the call did not make is kept.
  void add_outside(const Tensor& tensor);

  bool empty() const { return by_slot_.empty(); }
  // A call was recorded for its gradient.
  void note_recorded() { is_any_recorded_ = true; }
  bool is_any_recorded() const { return is_any_recorded_; }
  // The one that holds the tensor in the slot, null if none does.
  std::shared_ptr<SavedTensor> in_slot(uint32_t slot) const;
  bool has_outside(const TensorImpl& tensor) const { return outside_.contains(&tensor); }
  // When a segment has ended.
  void clear();

  // Programs that have computed something in this call, to be forgotten before it ends.
  void add_computed(std::weak_ptr<ComputedAgain> by) { computed_.push_back(std::move(by)); }
  void forget_computed();

 private:
  std::weak_ptr<SavedTensor>& at(const Tensor& deferred);
  std::vector<std::weak_ptr<SavedTensor>> by_slot_;
  std::unordered_set<const TensorImpl*> outside_;  // held by the slots of the call
  std::vector<std::weak_ptr<ComputedAgain>> computed_;
  bool is_any_recorded_ = false;  // since the last clear()
};

// Those of the compiled call that runs on this thread; null: none.
SavedTensors* saved_tensors();

class UsingSavedTensors {
 public:
  explicit UsingSavedTensors(SavedTensors* all);
  ~UsingSavedTensors();
  UsingSavedTensors(const UsingSavedTensors&) = delete;

 private:
  SavedTensors* before_;
};

}  // namespace vitro
