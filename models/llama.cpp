// The modules of LLaMA, from embedding to logits; see llama.h.
#include "vitro/models/llama.h"

#include <cmath>

#include "heads.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"

namespace vitro::models {

Rotary::Rotary(int64_t positions, int64_t width, double base) {
  VITRO_CHECK(width % 2 == 0, "Rotary: the width of a head must be even, got ", width);
  const int64_t half = width / 2;
  std::vector<float> cosines, sines;
  for (int64_t position = 0; position < positions; ++position) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = static_cast<double>(position) *
                           std::pow(base, -static_cast<double>(i) / static_cast<double>(half));
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  cos_ = Tensor::from(cosines, {positions, half});
  sin_ = Tensor::from(sines, {positions, half});
}

Tensor Rotary::operator()(const Tensor& x) const {
  const Size length = x.size(2);
  const int64_t half = cos_.size(1);
  const Tensor cosines = slice(cos_, 0, 0, length);
  const Tensor sines = slice(sin_, 0, 0, length);
  const Tensor first = slice(x, 3, 0, half);
  const Tensor second = slice(x, 3, half);
  const Tensor turned = first * cosines - second * sines;
  return cat({turned, second * cosines + first * sines}, 3);
}

LlamaAttention::LlamaAttention(nn::Module& owner, const LlamaConfig& config)
    : Module(owner, "self_attn"),
      heads_(config.heads),
      kv_heads_(config.kv_heads),
      q_proj_(*this, "q_proj", config.width, config.width, false),
      k_proj_(*this, "k_proj", config.width, config.width / heads_ * kv_heads_, false),
      v_proj_(*this, "v_proj", config.width, config.width / heads_ * kv_heads_, false),
      o_proj_(*this, "o_proj", config.width, config.width, false) {
  VITRO_CHECK(config.width % heads_ == 0 && heads_ % kv_heads_ == 0, "Llama: a width of ",
              config.width, " with ", heads_, " heads and ", kv_heads_,
              " heads of keys and values: each must be a multiple of the next");
}

Tensor LlamaAttention::operator()(const Tensor& x, const Rotary& rotary) const {
  const ModuleScope here = scope();
  const Tensor q = rotary(split_heads(q_proj_(x), heads_));
  const Tensor k = rotary(split_heads(k_proj_(x), kv_heads_));
  const Tensor v = split_heads(v_proj_(x), kv_heads_);
  // The heads that read the same keys and values are a dimension in which these are broadcast.
  const Sizes sizes{q.size(0), kv_heads_, heads_ / kv_heads_, q.size(2), q.size(3)};
  const Tensor mixed =
      scaled_dot_product_attention(view(q, sizes), unsqueeze(k, 2), unsqueeze(v, 2), {}, 0.0, true);
  return o_proj_(join_heads(reshape(mixed, q.sizes())));
}

LlamaMlp::LlamaMlp(nn::Module& owner, const LlamaConfig& config)
    : Module(owner, "mlp"),
      gate_proj_(*this, "gate_proj", config.width, config.inner, false),
      up_proj_(*this, "up_proj", config.width, config.inner, false),
      down_proj_(*this, "down_proj", config.inner, config.width, false) {}

Tensor LlamaMlp::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  const Tensor gate = silu(gate_proj_(x));
  return down_proj_(gate * up_proj_(x));
}

LlamaLayer::LlamaLayer(nn::Module& owner, std::string name, const LlamaConfig& config)
    : Module(owner, std::move(name)),
      self_attn_(*this, config),
      mlp_(*this, config),
      input_layernorm_(*this, "input_layernorm", config.width, config.eps),
      post_attention_layernorm_(*this, "post_attention_layernorm", config.width, config.eps) {}

Tensor LlamaLayer::operator()(const Tensor& x, const Rotary& rotary) const {
  const ModuleScope here = scope();
  const Tensor attended = x + self_attn_(input_layernorm_(x), rotary);
  return attended + mlp_(post_attention_layernorm_(attended));
}

Llama::Llama(const LlamaConfig& config)
    : rotary_(config.positions, config.width / config.heads, config.base),
      embed_tokens_(*this, "embed_tokens", config.vocabulary, config.width) {
  for (int64_t i = 0; i < config.layers; ++i)
    layers_.emplace_back(*this, cat("layers.", i), config);
  norm_.emplace(*this, "norm", config.width, config.eps);
}

Tensor Llama::operator()(const Tensor& input_ids) const {
  const ModuleScope here = scope();
  VITRO_CHECK(input_ids.size(1) <= rotary_.positions(), "Llama: ", input_ids.size(1),
              " tokens, but there are ", rotary_.positions(), " positions");
  Tensor x = embed_tokens_(input_ids);
  for (const LlamaLayer& layer : layers_) x = layer(x, rotary_);
  return linear((*norm_)(x), embed_tokens_.weight);
}

}  // namespace vitro::models
