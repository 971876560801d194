// GPT-2 (Radford et al., 2019), with the parameter names that published weights have.
#pragma once

#include <deque>

#include "vitro/nn/layers.h"

namespace vitro::nn {

struct Gpt2Config {
  int64_t vocabulary = 50257, width = 768, layers = 12, heads = 12, positions = 1024;
  double eps = 1e-5;
};

// y = x W + b with weight [in, out]: the layout in which GPT-2's weights are published.
class Conv1D : public Module {
 public:
  Conv1D(Module& owner, std::string name, int64_t in, int64_t out);
  Tensor operator()(const Tensor& x) const;
  Tensor weight, bias;
};

class Gpt2Attention : public Module {
 public:
  Gpt2Attention(Module& owner, const Gpt2Config& config);
  Tensor operator()(const Tensor& x) const;

 private:
  int64_t heads_;
  Conv1D c_attn_, c_proj_;
};

class Gpt2Mlp : public Module {
 public:
  Gpt2Mlp(Module& owner, const Gpt2Config& config);
  Tensor operator()(const Tensor& x) const;

 private:
  Conv1D c_fc_, c_proj_;
};

class Gpt2Block : public Module {
 public:
  Gpt2Block(Module& owner, std::string name, const Gpt2Config& config);
  Tensor operator()(const Tensor& x) const;

 private:
  LayerNorm ln_1_;
  Gpt2Attention attn_;
  LayerNorm ln_2_;
  Gpt2Mlp mlp_;
};

// input_ids [batch, length] i64 -> logits [batch, length, vocabulary]; the head is the embedding,
// tied.
class Gpt2 : public Module {
 public:
  explicit Gpt2(const Gpt2Config& config = {});
  Tensor operator()(const Tensor& input_ids) const;

 private:
  Embedding wte_, wpe_;
  Module h_;
  std::deque<Gpt2Block> blocks_;
  LayerNorm ln_f_;
};

}  // namespace vitro::nn
