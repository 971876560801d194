// The modules of vision transformers, from patches to scores; see vit.h.
#include "vitro/models/vit.h"

#include "heads.h"
#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::models {
namespace {

ops::ConvAttrs patches_of(int64_t side) {
  ops::ConvAttrs attrs;
  attrs.stride = {side, side};
  return attrs;
}

int64_t patches_in(const VitConfig& config) {
  VITRO_CHECK(config.patch > 0 && config.image % config.patch == 0, "Vit: the side of an image, ",
              config.image, ", must be a multiple of that of a patch, ", config.patch);
  const int64_t side = config.image / config.patch;
  return side * side;
}

}  // namespace

VitAttention::VitAttention(nn::Module& owner, const VitConfig& config)
    : Module(owner, "self_attention"),
      heads_(config.heads),
      out_proj_(*this, "out_proj", config.width, config.width) {
  add_parameter("in_proj_weight", in_proj_weight_,
                nn::normal({3 * config.width, config.width}, 0, 0.02));
  add_parameter("in_proj_bias", in_proj_bias_, nn::constant({3 * config.width}, 0));
}

Tensor VitAttention::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  const Size width = x.size(2);
  const Tensor projected = linear(x, in_proj_weight_, in_proj_bias_);
  const auto part = [&](int i) {
    return split_heads(slice(projected, 2, width * i, width * (i + 1)), heads_);
  };
  const Tensor q = part(0);
  const Tensor k = part(1);
  const Tensor v = part(2);
  return out_proj_(join_heads(scaled_dot_product_attention(q, k, v)));
}

VitMlp::VitMlp(nn::Module& owner, const VitConfig& config)
    : Module(owner, "mlp"),
      up_(*this, "0", config.width, config.inner),
      down_(*this, "3", config.inner, config.width) {}

Tensor VitMlp::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  return down_(gelu(up_(x)));
}

VitLayer::VitLayer(nn::Module& owner, std::string name, const VitConfig& config)
    : Module(owner, std::move(name)),
      ln_1_(*this, "ln_1", config.width, config.eps),
      self_attention_(*this, config),
      ln_2_(*this, "ln_2", config.width, config.eps),
      mlp_(*this, config) {}

Tensor VitLayer::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  const Tensor attended = x + self_attention_(ln_1_(x));
  return attended + mlp_(ln_2_(attended));
}

VitEncoder::VitEncoder(nn::Module& owner, const VitConfig& config) : Module(owner, "encoder") {
  add_parameter("pos_embedding", pos_embedding_,
                nn::normal({1, patches_in(config) + 1, config.width}, 0, 0.02));
  for (int64_t i = 0; i < config.layers; ++i)
    layers_.emplace_back(*this, cat("layers.encoder_layer_", i), config);
  ln_.emplace(*this, "ln", config.width, config.eps);
}

Tensor VitEncoder::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  Tensor y = x + pos_embedding_;
  for (const VitLayer& layer : layers_) y = layer(y);
  return (*ln_)(y);
}

Vit::Vit(const VitConfig& config)
    : image_(config.image),
      conv_proj_(*this, "conv_proj", 3, config.width, config.patch, patches_of(config.patch)),
      encoder_(*this, config),
      head_(*this, "heads.head", config.width, config.classes) {
  add_parameter("class_token", class_token_, nn::constant({1, 1, config.width}, 0));
}

Tensor Vit::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  VITRO_CHECK(x.rank() == 4 && x.size(2) == image_ && x.size(3) == image_,
              "Vit: needs images of sizes [n, 3, ", image_, ", ", image_, "], got ", x.sizes());
  const Tensor patches = transpose(flatten(conv_proj_(x), 2), 1, 2);
  const Tensor token = expand(class_token_, {x.size(0), 1, patches.size(2)});
  return head_(select(encoder_(cat({token, patches}, 1)), 1, 0));
}

}  // namespace vitro::models
