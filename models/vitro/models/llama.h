// LLaMA (Touvron et al. 2023), a language model, with the parameter names of published weights
// (those of LlamaModel).
//   Llama model(LlamaConfig::m110());
//   Tensor scores = model(input_ids);             // [batch, length] i64 -> [batch, length, 32000]
// A cache keeps the keys and values of earlier
// tokens (kv_cache.h); generate.h generates text.
#pragma once

#include <deque>
#include <optional>

#include "vitro/models/language_model.h"
#include "vitro/nn/layers.h"

namespace vitro::models {

struct LlamaConfig {
  int64_t vocabulary = 32000, width = 768, layers = 12, heads = 12, inner = 2048;
  int64_t kv_heads = 12;  // each is read by heads / kv_heads heads
  int64_t positions = 1024;
  double eps = 1e-5;
  double base = 10000;  // of the wavelengths of the rotary embedding

  static LlamaConfig m110() { return {}; }  // 110 million parameters
};

// The rotary embedding (Su et al. 2021): the element i of a head and the one half its width later
// are turned by an angle that is proportional to the position.
class Rotary {
 public:
  Rotary(int64_t positions, int64_t width, double base);
  // x [batch, heads, length, width], of the positions from `begin` on.
  Tensor operator()(const Tensor& x, int64_t begin = 0) const;
  int64_t positions() const { return cos_.size(0); }

 private:
  Tensor cos_, sin_;  // [positions, width / 2]
};

class LlamaAttention : public nn::Module {
 public:
  LlamaAttention(nn::Module& owner, const LlamaConfig& config);
  Tensor operator()(const Tensor& x, const Rotary& rotary, const Past& past = {}) const;

 private:
  int64_t heads_, kv_heads_;
  nn::Linear q_proj_, k_proj_, v_proj_, o_proj_;
};

class LlamaMlp : public nn::Module {
 public:
  LlamaMlp(nn::Module& owner, const LlamaConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  nn::Linear gate_proj_, up_proj_, down_proj_;
};

class LlamaLayer : public nn::Module {
 public:
  LlamaLayer(nn::Module& owner, std::string name, const LlamaConfig& config);
  Tensor operator()(const Tensor& x, const Rotary& rotary, const Past& past = {}) const;

 private:
  LlamaAttention self_attn_;
  LlamaMlp mlp_;
  nn::RMSNorm input_layernorm_, post_attention_layernorm_;
};

// The head is the embedding, tied.
class Llama : public LanguageModel {
 public:
  explicit Llama(const LlamaConfig& config);
  KvCache cache(int64_t batch, int64_t capacity) const override;
  int64_t positions() const override { return rotary_.positions(); }

 private:
  Tensor hidden(const Tensor& input_ids, KvCache* cache) const override;
  Tensor head(const Tensor& hidden) const override;

  int64_t kv_heads_, head_width_;
  Rotary rotary_;
  nn::Embedding embed_tokens_;
  std::deque<LlamaLayer> layers_;
  std::optional<nn::RMSNorm> norm_;  // after the layers, as in the published model
};

}  // namespace vitro::models
