// U-Net (Ronneberger et al. 2015), which labels each pixel of an image, in evaluation mode until
// train(); as it is commonly built: padded convolutions with batch norm. Parameters are named as in
// its published weights ("down1.maxpool_conv.1.double_conv.0.weight").
//   UNet model;
//   Tensor scores = model(images);                // [n, 3, h, w] -> [n, 2, h, w]
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "vitro/models/conv_norm.h"

namespace vitro::models {

struct UNetConfig {
  int64_t channels = 3, classes = 2;
  // The channels of each level; h and w are halved from one to the next, so they must be multiples
  // of 2^(levels - 1).
  std::vector<int64_t> widths{64, 128, 256, 512, 1024};
};

class DoubleConv : public nn::Module {
 public:
  DoubleConv(nn::Module& owner, std::string name, int64_t in, int64_t out);
  Tensor operator()(const Tensor& x) const;

 private:
  ConvNorm first_, second_;
};

// Twice the height and width, half the channels, beside those of the level above.
class UNetUp : public nn::Module {
 public:
  UNetUp(nn::Module& owner, std::string name, int64_t in);
  Tensor operator()(const Tensor& x, const Tensor& across) const;

 private:
  nn::ConvTranspose2d up_;
  DoubleConv conv_;
};

class UNet : public nn::Module {
 public:
  explicit UNet(const UNetConfig& config = {});
  Tensor operator()(const Tensor& x) const;

 private:
  std::deque<DoubleConv> down_;
  std::deque<UNetUp> up_;
  std::optional<nn::Conv2d> outc_;  // after the levels, as in the published weights
};

}  // namespace vitro::models
