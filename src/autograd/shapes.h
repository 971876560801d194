// Answers calls with tensors that have a shape but no elements; records what the calls use of them.
#pragma once

#include <deque>
#include <span>
#include <unordered_map>

#include "autograd/uses.h"
#include "vitro/core/interpreter.h"

namespace vitro::autograd {

class Shapes : public Interpreter {
 public:
  Tensor tensor(TensorMeta meta);
  // The most that a call uses of the tensor.
  Use use_of(const Tensor& tensor) const {
    const auto found = uses_.find(tensor.impl());
    return found == uses_.end() ? Use::metadata : found->second;
  }
  void call(const OpCall& call, std::span<Tensor> results) override;

 private:
  std::deque<TensorMeta> metas_;  // a deque: deferred tensors point to the elements
  std::deque<Tensor> made_;       // kept alive so that addresses stay unique
  std::unordered_map<const TensorImpl*, Use> uses_;
};

}  // namespace vitro::autograd
