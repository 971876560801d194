#include "vitro/nn/layers.h"

#include <cmath>

#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {

Linear::Linear(Module& owner, std::string name, int64_t in, int64_t out, bool with_bias)
    : Module(owner, std::move(name)) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  add_parameter("weight", weight, uniform({out, in}, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor Linear::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return linear(x, weight, bias);
}

Conv2d::Conv2d(Module& owner, std::string name, int64_t in, int64_t out, int64_t kernel,
               ops::Conv2dAttrs attrs, bool with_bias)
    : Module(owner, std::move(name)), attrs_(std::move(attrs)) {
  VITRO_CHECK(attrs_.groups > 0 && in % attrs_.groups == 0 && out % attrs_.groups == 0,
              "Conv2d: ", in, " and ", out, " channels are not multiples of ", attrs_.groups,
              " groups");
  const int64_t of_group = in / attrs_.groups;
  const double bound = 1 / std::sqrt(static_cast<double>(of_group * kernel * kernel));
  add_parameter("weight", weight, uniform({out, of_group, kernel, kernel}, -bound, bound));
  if (with_bias) add_parameter("bias", bias, uniform({out}, -bound, bound));
}

Tensor Conv2d::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return conv2d(x, weight, bias, attrs_);
}

Embedding::Embedding(Module& owner, std::string name, int64_t count, int64_t width)
    : Module(owner, std::move(name)) {
  add_parameter("weight", weight, normal({count, width}, 0, 1));
}

Tensor Embedding::operator()(ops::At indices) const {
  const ModuleScope here = scope();
  return embedding(ops::At(weight, indices.where), indices.operand.tensor());
}

LayerNorm::LayerNorm(Module& owner, std::string name, int64_t width, double eps)
    : Module(owner, std::move(name)), width_(width), eps_(eps) {
  add_parameter("weight", weight, constant({width}, 1));
  add_parameter("bias", bias, constant({width}, 0));
}

Tensor LayerNorm::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return layer_norm(x, {width_}, weight, bias, eps_);
}

RMSNorm::RMSNorm(Module& owner, std::string name, int64_t width, std::optional<double> eps)
    : Module(owner, std::move(name)), width_(width), eps_(eps) {
  add_parameter("weight", weight, constant({width}, 1));
}

Tensor RMSNorm::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return rms_norm(x, {width_}, weight, eps_);
}

BatchNorm2d::BatchNorm2d(Module& owner, std::string name, int64_t channels, double eps)
    : Module(owner, std::move(name)), eps_(eps) {
  add_parameter("weight", weight, constant({channels}, 1));
  add_parameter("bias", bias, constant({channels}, 0));
  add_buffer("running_mean", running_mean, constant({channels}, 0));
  add_buffer("running_var", running_var, constant({channels}, 1));
}

Tensor BatchNorm2d::operator()(ops::At x) const {
  const ModuleScope here = scope();
  return batch_norm(x, weight, bias, running_mean, running_var, false, 0.1, eps_);
}

}  // namespace vitro::nn
