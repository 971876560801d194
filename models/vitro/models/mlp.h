// Fully connected layers with ReLU between them.
#pragma once

#include <deque>
#include <initializer_list>

#include "vitro/nn/layers.h"

namespace vitro::models {

// Mlp({784, 1024, 10}): x [batch, 784] -> [batch, 10].
class Mlp : public nn::Module {
 public:
  explicit Mlp(std::initializer_list<int64_t> widths);
  Tensor operator()(const Tensor& x) const;

 private:
  std::deque<nn::Linear> layers_;
};

}  // namespace vitro::models
