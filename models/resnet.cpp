// The modules of ResNet and ResNeXt; see resnet.h.
#include "vitro/models/resnet.h"

#include "vitro/ops/all.h"

namespace vitro::models {
namespace {

int64_t out_of(const ResNetConfig& config, int64_t planes) {
  return config.bottleneck ? 4 * planes : planes;
}

}  // namespace

ResNetBlock::Downsample::Downsample(nn::Module& owner, int64_t in, int64_t out, int64_t stride)
    : Module(owner, "downsample"), both(*this, "0", "1", in, out, 1, stride) {}

ResNetBlock::ResNetBlock(nn::Module& owner, std::string name, const ResNetConfig& config,
                         int64_t in, int64_t planes, int64_t stride)
    : Module(owner, std::move(name)) {
  const int64_t out = out_of(config, planes);
  if (config.bottleneck) {
    const int64_t width = planes * config.width_per_group / 64 * config.groups;
    convolutions_.emplace_back(*this, "conv1", "bn1", in, width, 1);
    convolutions_.emplace_back(*this, "conv2", "bn2", width, width, 3, stride, config.groups);
    convolutions_.emplace_back(*this, "conv3", "bn3", width, out, 1);
  } else {
    convolutions_.emplace_back(*this, "conv1", "bn1", in, out, 3, stride);
    convolutions_.emplace_back(*this, "conv2", "bn2", out, out, 3);
  }
  if (stride != 1 || in != out) downsample_.emplace(*this, in, out, stride);
}

Tensor ResNetBlock::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  Tensor y = x;
  for (size_t i = 0; i + 1 < convolutions_.size(); ++i) y = relu(convolutions_[i](y));
  return relu(convolutions_.back()(y) + (downsample_ ? downsample_->both(x) : x));
}

ResNet::ResNet(const ResNetConfig& config) : stem_(*this, "conv1", "bn1", 3, 64, 7, 2) {
  int64_t in = 64;
  for (size_t layer = 0; layer < config.blocks.size(); ++layer) {
    nn::Module& owner = layers_.emplace_back(*this, cat("layer", layer + 1));
    const int64_t planes = int64_t{64} << layer;
    for (int64_t block = 0; block < config.blocks[layer]; ++block) {
      const int64_t stride = block == 0 && layer > 0 ? 2 : 1;
      blocks_.emplace_back(owner, cat(block), config, in, planes, stride);
      in = out_of(config, planes);
    }
  }
  fc_.emplace(*this, "fc", in, config.classes);
  eval();
}

Tensor ResNet::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  Tensor y = max_pool2d(relu(stem_(x)), 3, 2, 1);
  for (const ResNetBlock& block : blocks_) y = block(y);
  return (*fc_)(mean(y, {2, 3}));
}

}  // namespace vitro::models
