// Records calls and computes gradients by going back through them. Of a complex tensor it records
// the calls on its pairs; its gradient is a complex tensor.
//   Tape tape;
//   tape.watch(x);
//   Tensor y;
//   { const Using recording(&tape);  y = sin(x) * x; }
//   Tensor of_x = tape.back({&y, 1}, {&g, 1}, {&x, 1})[0];
// The tape passes each call on to the interpreter below it and keeps those that depend on a watched
// tensor. Going back calls ops itself, which another tape may record. Elements are not copied: if a
// tensor that a formula needs is overwritten, going back through the call is an Error, as in
// PyTorch. Threads: a tape belongs to the thread that records.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vitro/core/interpreter.h"

namespace vitro::autograd {

class Tape : public Interpreter {
 public:
  // Must be called before the calls for which the gradient of `tensor` is computed.
  void watch(const Tensor& tensor);
  // Error if the call writes into a tensor that depends on a watched one.
  void call(const OpCall& call, std::span<Tensor> results) override;
  // The gradients of `inputs`, which must be watched; undefined if they are 0.
  std::vector<Tensor> back(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                           std::span<const Tensor> inputs) const;

 private:
  struct Entry {
    const OpDef* op;
    std::vector<Tensor> tensors;  // referenced by `operands`
    std::vector<Operand> operands;
    Attrs attrs;
    std::vector<Tensor> results;
    std::source_location where;
    std::vector<uint64_t> versions;  // of the storage of `tensors`, then of `results`
  };
  using Gradients = std::unordered_map<const TensorImpl*, Tensor>;
  bool depends(const Operand& operand) const;
  void keep(const OpCall& call, std::span<const Tensor> results);
  static void check_unchanged(const Entry& entry, const OpCall& call, std::span<const bool> wanted);
  void back_through(const Entry& entry, Gradients& gradients) const;

  std::vector<Tensor> watched_;  // kept alive so that addresses stay unique
  std::unordered_set<const TensorImpl*> dependent_;
  std::vector<Entry> entries_;
};

}  // namespace vitro::autograd
