// Residual networks for images: ResNet (He et al. 2015) and ResNeXt (Xie et al. 2016), in
// evaluation mode until train(). Modules and parameters are named as in torchvision.models.resnet.
//   ResNet model(ResNetConfig::resnet50());
//   Tensor scores = model(images);                // [n, 3, h, w] -> [n, 1000]
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "vitro/models/conv_norm.h"

namespace vitro::models {

struct ResNetConfig {
  std::vector<int64_t> blocks;  // in each of the four layers
  bool bottleneck = false;      // blocks of 1x1, 3x3, 1x1 convolutions; else of two 3x3
  int64_t groups = 1, width_per_group = 64;  // of the 3x3 convolutions of a bottleneck
  int64_t classes = 1000;

  static ResNetConfig resnet18() { return {{2, 2, 2, 2}}; }
  static ResNetConfig resnet50() { return {{3, 4, 6, 3}, true}; }
  static ResNetConfig resnext101_32x8d() { return {{3, 4, 23, 3}, true, 32, 8}; }
};

class ResNetBlock : public nn::Module {
 public:
  ResNetBlock(nn::Module& owner, std::string name, const ResNetConfig& config, int64_t in,
              int64_t planes, int64_t stride);
  Tensor operator()(const Tensor& x) const;

 private:
  struct Downsample : nn::Module {
    Downsample(nn::Module& owner, int64_t in, int64_t out, int64_t stride);
    ConvNorm both;
  };
  std::deque<ConvNorm> convolutions_;
  std::optional<Downsample> downsample_;  // of the input, where sizes change
};

class ResNet : public nn::Module {
 public:
  explicit ResNet(const ResNetConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  ConvNorm stem_;
  std::deque<nn::Module> layers_;
  std::deque<ResNetBlock> blocks_;
  std::optional<nn::Linear> fc_;  // after the layers, as in torch
};

}  // namespace vitro::models
