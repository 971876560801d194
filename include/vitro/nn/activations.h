// Activation functions as modules, with the names and defaults of torch.nn; those with options are
// structs here (function_module.h says how they are given).
//   net.add<nn::Linear>(784, 128);   net.add<nn::LeakyReLU>(0.2);   net.add<nn::Softmax>(-1);
// There is no `inplace`: what is written in place is decided when a function is compiled.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "vitro/core/scalar.h"
#include "vitro/nn/function_module.h"
#include "vitro/ops/activation.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/unary.h"

namespace vitro::nn {

using ReLU = FunctionModule<Named<"ReLU", relu>>;
using ReLU6 = FunctionModule<Named<"ReLU6", relu6>>;
using SiLU = FunctionModule<Named<"SiLU", silu>>;
using Mish = FunctionModule<Named<"Mish", mish>>;
using SELU = FunctionModule<Named<"SELU", selu>>;
using Tanh = FunctionModule<Named<"Tanh", tanh>>;
using Sigmoid = FunctionModule<Named<"Sigmoid", sigmoid>>;
using LogSigmoid = FunctionModule<Named<"LogSigmoid", log_sigmoid>>;
using Hardswish = FunctionModule<Named<"Hardswish", hardswish>>;
using Hardsigmoid = FunctionModule<Named<"Hardsigmoid", hardsigmoid>>;
using Softsign = FunctionModule<Named<"Softsign", softsign>>;
using Tanhshrink = FunctionModule<Named<"Tanhshrink", tanhshrink>>;

struct GELUFunction {
  static constexpr std::string_view kind = "GELU";
  std::string approximate = "none";  // or "tanh"
  Tensor operator()(ops::At x) const { return gelu(x, approximate); }
};
using GELU = FunctionModule<GELUFunction>;

struct LeakyReLUFunction {
  static constexpr std::string_view kind = "LeakyReLU";
  double negative_slope = 0.01;
  Tensor operator()(ops::At x) const { return leaky_relu(x, negative_slope); }
};
using LeakyReLU = FunctionModule<LeakyReLUFunction>;

// In evaluation the slope is the mean of the bounds.
struct RReLUFunction {
  static constexpr std::string_view kind = "RReLU";
  double lower = 0.125, upper = 1. / 3;
  Tensor operator()(ops::At x, bool training) const { return rrelu(x, lower, upper, training); }
};
using RReLU = FunctionModule<RReLUFunction>;

struct ELUFunction {
  static constexpr std::string_view kind = "ELU";
  double alpha = 1;
  Tensor operator()(ops::At x) const { return elu(x, alpha); }
};
using ELU = FunctionModule<ELUFunction>;

struct CELUFunction {
  static constexpr std::string_view kind = "CELU";
  double alpha = 1;
  Tensor operator()(ops::At x) const { return celu(x, alpha); }
};
using CELU = FunctionModule<CELUFunction>;

struct SoftplusFunction {
  static constexpr std::string_view kind = "Softplus";
  double beta = 1, threshold = 20;
  Tensor operator()(ops::At x) const { return softplus(x, beta, threshold); }
};
using Softplus = FunctionModule<SoftplusFunction>;

struct HardtanhFunction {
  static constexpr std::string_view kind = "Hardtanh";
  double min_val = -1, max_val = 1;
  Tensor operator()(ops::At x) const { return hardtanh(x, min_val, max_val); }
};
using Hardtanh = FunctionModule<HardtanhFunction>;

struct HardshrinkFunction {
  static constexpr std::string_view kind = "Hardshrink";
  double lambd = 0.5;
  Tensor operator()(ops::At x) const { return hardshrink(x, lambd); }
};
using Hardshrink = FunctionModule<HardshrinkFunction>;

struct SoftshrinkFunction {
  static constexpr std::string_view kind = "Softshrink";
  double lambd = 0.5;
  Tensor operator()(ops::At x) const { return softshrink(x, lambd); }
};
using Softshrink = FunctionModule<SoftshrinkFunction>;

struct ThresholdFunction {
  static constexpr std::string_view kind = "Threshold";
  double threshold = 0, value = 0;
  Tensor operator()(ops::At x) const { return vitro::threshold(x, threshold, value); }
};
using Threshold = FunctionModule<ThresholdFunction>;

struct GLUFunction {
  static constexpr std::string_view kind = "GLU";
  int64_t dim = -1;
  Tensor operator()(ops::At x) const { return glu(x, dim); }
};
using GLU = FunctionModule<GLUFunction>;

// Over the last dimension unless another one is given; PyTorch chooses one by the rank.
struct SoftmaxFunction {
  static constexpr std::string_view kind = "Softmax";
  int64_t dim = -1;
  Tensor operator()(ops::At x) const { return softmax(x, dim); }
};
using Softmax = FunctionModule<SoftmaxFunction>;

struct SoftminFunction {
  static constexpr std::string_view kind = "Softmin";
  int64_t dim = -1;
  Tensor operator()(ops::At x) const { return softmin(x, dim); }
};
using Softmin = FunctionModule<SoftminFunction>;

struct LogSoftmaxFunction {
  static constexpr std::string_view kind = "LogSoftmax";
  int64_t dim = -1;
  Tensor operator()(ops::At x) const { return log_softmax(x, dim); }
};
using LogSoftmax = FunctionModule<LogSoftmaxFunction>;

// Over the channels of images, [n, c, h, w] or [c, h, w].
struct Softmax2dFunction {
  static constexpr std::string_view kind = "Softmax2d";
  Tensor operator()(ops::At x) const { return softmax(x, -3); }
};
using Softmax2d = FunctionModule<Softmax2dFunction>;

// x where it is positive, else weight * x: one weight, or one for each channel (dimension 1).
class PReLU : public Module {
 public:
  PReLU(Module& owner, std::string name, int64_t num_parameters = 1, double init = 0.25);
  Tensor operator()(ops::At x) const;
  Tensor weight;
};

// An activation as an option: "relu", "gelu", or any function of a tensor.
//   nn::TransformerEncoderLayer layer{*this, "layer", 512, 8, {.activation = "gelu"}};
class Activation {
 public:
  Activation(const char* name);  // NOLINT(google-explicit-constructor)
  template <class F>
    requires std::is_invocable_r_v<Tensor, const F&, const Tensor&>
  Activation(F f) : function_(std::move(f)) {}  // NOLINT(google-explicit-constructor)
  Tensor operator()(const Tensor& x) const { return function_(x); }

 private:
  std::function<Tensor(const Tensor&)> function_;
};

}  // namespace vitro::nn
