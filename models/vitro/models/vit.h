// Vision transformer (Dosovitskiy et al. 2020) for images. Modules and parameters are named as in
// torchvision.models.vision_transformer.
//   Vit model(VitConfig::b_16());
//   Tensor scores = model(images);                // [n, 3, 224, 224] -> [n, 1000]
#pragma once

#include <deque>
#include <optional>

#include "vitro/nn/layers.h"

namespace vitro::models {

struct VitConfig {
  int64_t image = 224, patch = 16;  // sides, in pixels
  int64_t width = 768, layers = 12, heads = 12, inner = 3072;
  int64_t classes = 1000;
  double eps = 1e-6;

  static VitConfig b_16() { return {}; }
};

// The projections of queries, keys and values are one.
class VitAttention : public nn::Module {
 public:
  VitAttention(nn::Module& owner, const VitConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  int64_t heads_;
  Tensor in_proj_weight_, in_proj_bias_;
  nn::Linear out_proj_;
};

class VitMlp : public nn::Module {
 public:
  VitMlp(nn::Module& owner, const VitConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  nn::Linear up_, down_;
};

class VitLayer : public nn::Module {
 public:
  VitLayer(nn::Module& owner, std::string name, const VitConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  nn::LayerNorm ln_1_;
  VitAttention self_attention_;
  nn::LayerNorm ln_2_;
  VitMlp mlp_;
};

class VitEncoder : public nn::Module {
 public:
  VitEncoder(nn::Module& owner, const VitConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  Tensor pos_embedding_;
  std::deque<VitLayer> layers_;
  std::optional<nn::LayerNorm> ln_;  // after the layers, as in torchvision
};

class Vit : public nn::Module {
 public:
  explicit Vit(const VitConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  int64_t image_;
  Tensor class_token_;
  nn::Conv2d conv_proj_;
  VitEncoder encoder_;
  nn::Linear head_;
};

}  // namespace vitro::models
