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

Tensor Rotary::operator()(const Tensor& x, int64_t begin) const {
  const int64_t end = begin + x.size(2).value();
  const int64_t half = cos_.size(1);
  const Tensor cosines = slice(cos_, 0, begin, end);
  const Tensor sines = slice(sin_, 0, begin, end);
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

Tensor LlamaAttention::operator()(const Tensor& x, const Rotary& rotary, const Past& past) const {
  const ModuleScope here = scope();
  const int64_t begin = past.cache ? past.cache->length() : 0;
  const Tensor q = rotary(split_heads(q_proj_(x), heads_), begin);
  const Tensor k = rotary(split_heads(k_proj_(x), kv_heads_), begin);
  const Tensor v = split_heads(v_proj_(x), kv_heads_);
  return o_proj_(join_heads(causal_attention(q, k, v, past)));
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

Tensor LlamaLayer::operator()(const Tensor& x, const Rotary& rotary, const Past& past) const {
  const ModuleScope here = scope();
  const Tensor attended = x + self_attn_(input_layernorm_(x), rotary, past);
  return attended + mlp_(post_attention_layernorm_(attended));
}

Llama::Llama(const LlamaConfig& config)
    : kv_heads_(config.kv_heads),
      head_width_(config.width / config.heads),
      rotary_(config.positions, head_width_, config.base),
      embed_tokens_(*this, "embed_tokens", config.vocabulary, config.width) {
  mul_(embed_tokens_.weight, 0.02);  // its deviation
  for (int64_t i = 0; i < config.layers; ++i)
    layers_.emplace_back(*this, cat("layers.", i), config);
  norm_.emplace(*this, "norm", config.width, config.eps);
}

KvCache Llama::cache(int64_t batch, int64_t capacity) const {
  return KvCache({.layers = static_cast<int64_t>(layers_.size()),
                  .batch = batch,
                  .heads = kv_heads_,
                  .capacity = capacity,
                  .width = head_width_},
                 embed_tokens_.weight.dtype());
}

Tensor Llama::hidden(const Tensor& input_ids, KvCache* cache) const {
  const ModuleScope here = scope();
  const int64_t end = (cache ? cache->length() : 0) + input_ids.size(1).value();
  VITRO_CHECK(end <= positions(), "Llama: ", end, " tokens, but there are ", positions(),
              " positions");
  Tensor x = embed_tokens_(input_ids);
  for (size_t i = 0; i < layers_.size(); ++i) x = layers_[i](x, rotary_, {cache, i});
  if (cache) cache->advance(input_ids.size(1));
  return (*norm_)(x);
}

Tensor Llama::head(const Tensor& hidden) const {
  return linear(hidden, embed_tokens_.weight);
}

}  // namespace vitro::models
