// BERT (Devlin et al., 2018): the encoder, with the parameter names that published weights have.
#pragma once

#include <deque>

#include "vitro/nn/layers.h"

namespace vitro::nn {

struct BertConfig {
  int64_t vocabulary = 30522, width = 768, layers = 12, heads = 12, inner = 3072, positions = 512,
          token_types = 2;
  double eps = 1e-12;

  static BertConfig base() { return {}; }
  static BertConfig mini_lm_l6() { return {.width = 384, .layers = 6, .heads = 12, .inner = 1536}; }
};

class BertEmbeddings : public Module {
 public:
  BertEmbeddings(Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& input_ids) const;

 private:
  Embedding word_, position_, token_type_;
  LayerNorm norm_;
};

class BertSelfAttention : public Module {
 public:
  BertSelfAttention(Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  int64_t heads_;
  Linear query_, key_, value_;
};

// A projection, then the residual and its normalisation ("attention.output", "output").
class BertOutput : public Module {
 public:
  BertOutput(Module& owner, int64_t from, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& residual) const;

 private:
  Linear dense_;
  LayerNorm norm_;
};

class BertAttention : public Module {
 public:
  BertAttention(Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  BertSelfAttention self_;
  BertOutput output_;
};

class BertIntermediate : public Module {
 public:
  BertIntermediate(Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  Linear dense_;
};

class BertLayer : public Module {
 public:
  BertLayer(Module& owner, std::string name, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  BertAttention attention_;
  BertIntermediate intermediate_;
  BertOutput output_;
};

class BertEncoder : public Module {
 public:
  BertEncoder(Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  Module layer_;  // the list: gives its parts the names "layer.0", "layer.1", ...
  std::deque<BertLayer> layers_;
};

// input_ids [batch, length] i64 -> last hidden state [batch, length, width].  `mask`: bool,
// broadcast to [batch, heads, length, length], true where a token may look; undefined: everywhere.
class Bert : public Module {
 public:
  explicit Bert(const BertConfig& config);
  Bert(Module& owner, std::string name, const BertConfig& config);
  Tensor operator()(const Tensor& input_ids, const Tensor& mask = {}) const;

 private:
  BertEmbeddings embeddings_;
  BertEncoder encoder_;
};

// tanh(W x[:, 0] + b).
class BertPooler : public Module {
 public:
  BertPooler(Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& hidden) const;

 private:
  Linear dense_;
};

// The encoder with its pooler and one linear layer on top: [batch, length] -> logits [batch,
// classes].
class BertClassifier : public Module {
 public:
  BertClassifier(const BertConfig& config, int64_t classes);
  Tensor operator()(const Tensor& input_ids, const Tensor& mask = {}) const;

 private:
  Bert bert_;
  BertPooler pooler_;
  Linear classifier_;
};

}  // namespace vitro::nn
