// Layers of matrix products; names, shapes and initial values are those of torch.nn.
//   nn::Linear fc{*this, "fc", 784, 10};   Tensor y = fc(x);
#pragma once

#include <string>

#include "vitro/nn/module.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

// y = x W^T + b, x: [..., in], weight: [out, in], bias: [out].
class Linear : public Module {
 public:
  Linear(Module& owner, std::string name, int64_t in, int64_t out, bool with_bias = true);
  Tensor operator()(ops::At x) const;
  Tensor weight, bias;
};

// y[k] = x1 W[k] x2^T + b[k], x1: [..., in1], x2: [..., in2], weight: [out, in1, in2].
class Bilinear : public Module {
 public:
  Bilinear(Module& owner, std::string name, int64_t in1, int64_t in2, int64_t out,
           bool with_bias = true);
  Tensor operator()(ops::At x1, const Tensor& x2) const;
  Tensor weight, bias;
};

}  // namespace vitro::nn
