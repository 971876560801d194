// Answers calls with tensors that have a shape but no elements; records whose elements were read.
#pragma once

#include <deque>
#include <span>
#include <unordered_set>

#include "vitro/core/interpreter.h"

namespace vitro::autograd {

class Shapes : public Interpreter {
 public:
  Tensor tensor(TensorMeta meta);
  // Whether a call needs the elements of the tensor.
  bool was_read(const Tensor& tensor) const { return read_.contains(tensor.impl()); }
  void call(const OpCall& call, std::span<Tensor> results) override;

 private:
  std::deque<TensorMeta> metas_;  // a deque: deferred tensors point to the elements
  std::deque<Tensor> made_;       // kept alive so that addresses stay unique
  std::unordered_set<const TensorImpl*> read_;
};

}  // namespace vitro::autograd
