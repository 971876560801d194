// BERT (Devlin et al., 2018): the encoder, with the parameter names of published weights.
#pragma once

#include <deque>

#include "vitro/nn/layers.h"

namespace vitro::models {

struct BertConfig {
  int64_t vocabulary = 30522, width = 768, layers = 12, heads = 12, inner = 3072, positions = 512,
          token_types = 2;
  double eps = 1e-12;
  double dropout = 0;  // in training, of embeddings, attention and what each branch adds

  static BertConfig base() { return {}; }
  static BertConfig mini_lm_l6() { return {.width = 384, .layers = 6, .heads = 12, .inner = 1536}; }
};

class BertEmbeddings : public nn::Module {
 public:
  BertEmbeddings(nn::Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& input_ids) const;

 private:
  nn::Embedding word_, position_, token_type_;
  nn::LayerNorm norm_;
  nn::Dropout dropout_;
};

class BertSelfAttention : public nn::Module {
 public:
  BertSelfAttention(nn::Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  int64_t heads_;
  double dropout_;
  nn::Linear query_, key_, value_;
};

// A projection, then the residual and its normalisation ("attention.output", "output").
class BertOutput : public nn::Module {
 public:
  BertOutput(nn::Module& owner, int64_t from, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& residual) const;

 private:
  nn::Linear dense_;
  nn::LayerNorm norm_;
  nn::Dropout dropout_;
};

class BertAttention : public nn::Module {
 public:
  BertAttention(nn::Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  BertSelfAttention self_;
  BertOutput output_;
};

class BertIntermediate : public nn::Module {
 public:
  BertIntermediate(nn::Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  nn::Linear dense_;
};

class BertLayer : public nn::Module {
 public:
  BertLayer(nn::Module& owner, std::string name, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  BertAttention attention_;
  BertIntermediate intermediate_;
  BertOutput output_;
};

class BertEncoder : public nn::Module {
 public:
  BertEncoder(nn::Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& x, const Tensor& mask) const;

 private:
  nn::Module layer_;  // the list: names its parts "layer.0", "layer.1", ...
  std::deque<BertLayer> layers_;
};

// input_ids [batch, length] i64 -> last hidden state [batch, length, width].  `mask`: bool,
// broadcast to [batch, heads, length, length], true where a token may attend; undefined:
// everywhere.
class Bert : public nn::Module {
 public:
  explicit Bert(const BertConfig& config);
  Bert(nn::Module& owner, std::string name, const BertConfig& config);
  Tensor operator()(const Tensor& input_ids, const Tensor& mask = {}) const;

 private:
  BertEmbeddings embeddings_;
  BertEncoder encoder_;
};

// tanh(W x[:, 0] + b).
class BertPooler : public nn::Module {
 public:
  BertPooler(nn::Module& owner, const BertConfig& config);
  Tensor operator()(const Tensor& hidden) const;

 private:
  nn::Linear dense_;
};

// The encoder with its pooler and one linear layer on top: [batch, length] -> logits [batch,
// classes].
class BertClassifier : public nn::Module {
 public:
  BertClassifier(const BertConfig& config, int64_t classes);
  Tensor operator()(const Tensor& input_ids, const Tensor& mask = {}) const;

 private:
  Bert bert_;
  BertPooler pooler_;
  nn::Dropout dropout_;
  nn::Linear classifier_;
};

}  // namespace vitro::models
