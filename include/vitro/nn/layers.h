// Common layers; names, shapes and initial values are those of torch.nn.
#pragma once

#include <optional>
#include <string>

#include "vitro/nn/module.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

// y = x W^T + b, x: [..., in], weight: [out, in], bias: [out].
class Linear : public Module {
 public:
  Linear(Module& owner, std::string name, int64_t in, int64_t out, bool with_bias = true);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;
};

// Convolves x [n, in, h, w] or [in, h, w] with weight [out, in / groups, height, width].
class Conv2d : public Module {
 public:
  Conv2d(Module& owner, std::string name, int64_t in, int64_t out, int64_t kernel,
         ops::Conv2dAttrs attrs = {}, bool with_bias = true);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;

 private:
  ops::Conv2dAttrs attrs_;
};

// Selects rows of weight [count, width] by i32 or i64 indices of any shape.
class Embedding : public Module {
 public:
  Embedding(Module& owner, std::string name, int64_t count, int64_t width);
  Tensor operator()(ops::At indices) const;
  Tensor weight;
};

// Normalizes over the last dimension.
class LayerNorm : public Module {
 public:
  LayerNorm(Module& owner, std::string name, int64_t width, double eps = 1e-5);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;

 private:
  int64_t width_;
  double eps_;
};

// x / the root of its mean square over the last dimension, times weight.
class RMSNorm : public Module {
 public:
  RMSNorm(Module& owner, std::string name, int64_t width, std::optional<double> eps = {});
  Tensor operator()(ops::At x) const;
  Tensor weight;

 private:
  int64_t width_;
  std::optional<double> eps_;
};

// Normalizes each channel (dimension 1) of x [n, channels, h, w] with its running statistics
// (inference).
class BatchNorm2d : public Module {
 public:
  BatchNorm2d(Module& owner, std::string name, int64_t channels, double eps = 1e-5);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias, running_mean, running_var;

 private:
  double eps_;
};

}  // namespace vitro::nn
