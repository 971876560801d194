// Records calls, and goes back through them.
//   Tape tape;
//   tape.watch(x);
//   Tensor y;
//   { const Using recording(&tape);  y = sin(x) * x; }
//   Tensor of_x = tape.back({&y, 1}, {&g, 1}, {&x, 1})[0];
// The calls are made below it; those that depend on no watched tensor are not kept.  Going back
// calls ops itself, which another tape may record.  Elements are not copied: who writes into a
// tensor that a formula needs gets an Error when it is gone back through, as in PyTorch.  Threads:
// belongs to the one that records.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "vitro/core/interpreter.h"

namespace vitro::autograd {

class Tape : public Interpreter {
 public:
  // Its gradient will be asked for.
  void watch(const Tensor& tensor);
  // Error where a call writes into a tensor that depends on a watched one.
  void call(const OpCall& call, std::span<Tensor> results) override;
  // The gradients of `inputs`, which are watched; undefined where they are 0.
  std::vector<Tensor> back(std::span<const Tensor> outputs, std::span<const Tensor> gradients,
                           std::span<const Tensor> inputs) const;

 private:
  struct Entry {
    const OpDef* op;
    std::vector<Tensor> tensors;  // that the operands refer to
    std::vector<Operand> operands;
    Attrs attrs;
    std::vector<Tensor> results;
    std::source_location where;
    std::vector<uint64_t> versions;  // of the memory of `tensors`, then of `results`
  };
  using Gradients = std::unordered_map<const TensorImpl*, Tensor>;
  bool depends(const Operand& operand) const;
  void keep(const OpCall& call, std::span<const Tensor> results);
  static void check_unchanged(const Entry& entry, const OpCall& call, std::span<const bool> wanted);
  void back_through(const Entry& entry, Gradients& gradients) const;

  std::vector<Tensor> watched_;  // alive, so that no other tensor takes the place of one
  std::unordered_set<const TensorImpl*> dependent_;
  std::vector<Entry> entries_;
};

}  // namespace vitro::autograd
