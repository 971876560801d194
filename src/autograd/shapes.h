// Answers calls with tensors that have a shape and no elements, and notes which tensors were read.
#pragma once

#include <deque>
#include <span>
#include <unordered_set>

#include "vitro/core/interpreter.h"

namespace vitro::autograd {

class Shapes : public Interpreter {
 public:
  Tensor tensor(TensorMeta meta);
  // Whether a call needs elements of it.
  bool was_read(const Tensor& tensor) const { return read_.contains(tensor.impl()); }
  void call(const OpCall& call, std::span<Tensor> results) override;

 private:
  std::deque<TensorMeta> metas_;  // promises point to them
  std::deque<Tensor> made_;       // alive, so that no other tensor takes the place of one
  std::unordered_set<const TensorImpl*> read_;
};

}  // namespace vitro::autograd
