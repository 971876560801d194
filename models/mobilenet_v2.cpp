#include "vitro/models/mobilenet_v2.h"

#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"

namespace vitro::models {

InvertedResidual::InvertedResidual(nn::Module& owner, std::string name, int64_t in, int64_t out,
                                   int64_t stride, int64_t expansion)
    : Module(owner, std::move(name)), adds_input_(stride == 1 && in == out) {
  const int64_t inner = in * expansion;
  if (expansion != 1) convolutions_.emplace_back(*this, "conv.0.0", "conv.0.1", in, inner, 1);
  const size_t at = convolutions_.size();
  convolutions_.emplace_back(*this, cat("conv.", at, ".0"), cat("conv.", at, ".1"), inner, inner, 3,
                             stride, inner);
  convolutions_.emplace_back(*this, cat("conv.", at + 1), cat("conv.", at + 2), inner, out, 1);
}

Tensor InvertedResidual::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  Tensor y = x;
  for (size_t i = 0; i + 1 < convolutions_.size(); ++i) y = relu6(convolutions_[i](y));
  y = convolutions_.back()(y);
  return adds_input_ ? x + y : y;
}

MobileNetV2::MobileNetV2(const MobileNetV2Config& config)
    : first_(*this, "features.0.0", "features.0.1", 3, config.first, 3, 2) {
  int64_t in = config.first;
  for (const auto& [expansion, channels, blocks, stride] : config.stages) {
    for (int64_t block = 0; block < blocks; ++block) {
      blocks_.emplace_back(*this, cat("features.", blocks_.size() + 1), in, channels,
                           block == 0 ? stride : 1, expansion);
      in = channels;
    }
  }
  const std::string last = cat("features.", blocks_.size() + 1);
  last_.emplace(*this, last + ".0", last + ".1", in, config.last, 1);
  dropout_.emplace(*this, "classifier.0", config.dropout);
  classifier_.emplace(*this, "classifier.1", config.last, config.classes);
  eval();
}

Tensor MobileNetV2::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  Tensor y = relu6(first_(x));
  for (const InvertedResidual& block : blocks_) y = block(y);
  return (*classifier_)((*dropout_)(mean(relu6((*last_)(y)), {2, 3})));
}

}  // namespace vitro::models
