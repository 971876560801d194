// MobileNetV2 (Sandler et al. 2018), a small network for images, in evaluation mode until train().
// Modules and parameters are named as in torchvision.models.mobilenetv2.
//   MobileNetV2 model;
//   Tensor scores = model(images);                // [n, 3, h, w] -> [n, 1000]
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "vitro/models/conv_norm.h"

namespace vitro::models {

struct MobileNetV2Config {
  // Blocks of one size; the first has the stride, `expansion` is that of the channels inside.
  struct Stage {
    int64_t expansion, channels, blocks, stride;
  };
  int64_t first = 32, last = 1280;  // channels before and after the stages
  std::vector<Stage> stages{{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                            {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  int64_t classes = 1000;
  double dropout = 0.2;  // in training, of what the classifier reads
};

// 1x1 to more channels, 3x3 of each channel, 1x1 to fewer channels; no activation at the end.
class InvertedResidual : public nn::Module {
 public:
  InvertedResidual(nn::Module& owner, std::string name, int64_t in, int64_t out, int64_t stride,
                   int64_t expansion);
  Tensor operator()(const Tensor& x) const;

 private:
  bool adds_input_;
  std::deque<ConvNorm> convolutions_;
};

class MobileNetV2 : public nn::Module {
 public:
  explicit MobileNetV2(const MobileNetV2Config& config = {});
  Tensor operator()(const Tensor& x) const;

 private:
  ConvNorm first_;
  std::deque<InvertedResidual> blocks_;
  std::optional<ConvNorm> last_;  // after the blocks, as in torchvision
  std::optional<nn::Dropout> dropout_;
  std::optional<nn::Linear> classifier_;
};

}  // namespace vitro::models
