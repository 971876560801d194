// A convolution and its batch norm, the unit that networks for images are made of.
#pragma once

#include <string>

#include "vitro/nn/layers.h"

namespace vitro::models {

// A convolution without bias, padded so that a stride of 1 keeps the size, and its batch norm.
class ConvNorm {
 public:
  // `conv` and `norm` are the names of the two members of the owner.
  ConvNorm(nn::Module& owner, std::string conv, std::string norm, int64_t in, int64_t out,
           int64_t kernel, int64_t stride = 1, int64_t groups = 1);
  Tensor operator()(const Tensor& x) const;

 private:
  nn::Conv2d conv_;
  nn::BatchNorm2d norm_;
};

}  // namespace vitro::models
