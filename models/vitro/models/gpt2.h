// GPT-2 (Radford et al., 2019), with the parameter names of published weights.
//   Gpt2 model;
//   Tensor scores = model(input_ids);             // [batch, length] i64 -> [batch, length, 50257]
// A cache keeps the keys and values of earlier
// tokens (kv_cache.h); generate.h generates text.
#pragma once

#include <deque>

#include "vitro/models/language_model.h"
#include "vitro/nn/layers.h"

namespace vitro::models {

struct Gpt2Config {
  int64_t vocabulary = 50257, width = 768, layers = 12, heads = 12, positions = 1024;
  double eps = 1e-5;
  double dropout = 0;  // in training, of embeddings, attention and what each branch adds
};

// y = x W + b with weight [in, out]: the layout of GPT-2's published weights.
class Conv1D : public nn::Module {
 public:
  Conv1D(nn::Module& owner, std::string name, int64_t in, int64_t out);
  Tensor operator()(const Tensor& x) const;
  Tensor weight, bias;
};

class Gpt2Attention : public nn::Module {
 public:
  Gpt2Attention(nn::Module& owner, const Gpt2Config& config);
  Tensor operator()(const Tensor& x, const Past& past = {}) const;

 private:
  int64_t heads_;
  double dropout_;
  Conv1D c_attn_, c_proj_;
  nn::Dropout resid_dropout_;
};

class Gpt2Mlp : public nn::Module {
 public:
  Gpt2Mlp(nn::Module& owner, const Gpt2Config& config);
  Tensor operator()(const Tensor& x) const;

 private:
  Conv1D c_fc_, c_proj_;
  nn::Dropout dropout_;
};

class Gpt2Block : public nn::Module {
 public:
  Gpt2Block(nn::Module& owner, std::string name, const Gpt2Config& config);
  Tensor operator()(const Tensor& x, const Past& past = {}) const;

 private:
  nn::LayerNorm ln_1_;
  Gpt2Attention attn_;
  nn::LayerNorm ln_2_;
  Gpt2Mlp mlp_;
};

// The head is the embedding, tied.
class Gpt2 : public LanguageModel {
 public:
  explicit Gpt2(const Gpt2Config& config = {});
  KvCache cache(int64_t batch, int64_t capacity) const override;
  int64_t positions() const override { return wpe_.weight.size(0); }

 private:
  Tensor hidden(const Tensor& input_ids, KvCache* cache) const override;
  Tensor head(const Tensor& hidden) const override;

  int64_t heads_;
  nn::Embedding wte_, wpe_;
  nn::Dropout drop_;
  nn::Module h_;
  std::deque<Gpt2Block> blocks_;
  nn::LayerNorm ln_f_;
};

}  // namespace vitro::models
