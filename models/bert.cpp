// The modules of BERT, from embeddings to classifier, each named as in the published weights; see
// bert.h.
#include "vitro/models/bert.h"

#include "heads.h"
#include "vitro/ops/all.h"

namespace vitro::models {

using nn::Module;

BertEmbeddings::BertEmbeddings(Module& owner, const BertConfig& config)
    : Module(owner, "embeddings"),
      word_(*this, "word_embeddings", config.vocabulary, config.width),
      position_(*this, "position_embeddings", config.positions, config.width),
      token_type_(*this, "token_type_embeddings", config.token_types, config.width),
      norm_(*this, "LayerNorm", config.width, config.eps),
      dropout_(*this, "dropout", config.dropout) {}

Tensor BertEmbeddings::operator()(const Tensor& input_ids) const {
  const ModuleScope here = scope();
  const Tensor words = word_(input_ids);
  const Tensor positions = slice(position_.weight, 0, 0, input_ids.size(1));
  const Tensor types = select(token_type_.weight, 0, 0);
  return dropout_(norm_(words + types + positions));
}

BertSelfAttention::BertSelfAttention(Module& owner, const BertConfig& config)
    : Module(owner, "self"),
      heads_(config.heads),
      dropout_(config.dropout),
      query_(*this, "query", config.width, config.width),
      key_(*this, "key", config.width, config.width),
      value_(*this, "value", config.width, config.width) {}

Tensor BertSelfAttention::operator()(const Tensor& x, const Tensor& mask) const {
  const ModuleScope here = scope();
  const Tensor q = split_heads(query_(x), heads_);
  const Tensor k = split_heads(key_(x), heads_);
  const Tensor v = split_heads(value_(x), heads_);
  return join_heads(scaled_dot_product_attention(q, k, v, mask, is_training() ? dropout_ : 0));
}

BertOutput::BertOutput(Module& owner, int64_t from, const BertConfig& config)
    : Module(owner, "output"),
      dense_(*this, "dense", from, config.width),
      norm_(*this, "LayerNorm", config.width, config.eps),
      dropout_(*this, "dropout", config.dropout) {}

Tensor BertOutput::operator()(const Tensor& x, const Tensor& residual) const {
  const ModuleScope here = scope();
  return norm_(dropout_(dense_(x)) + residual);
}

BertAttention::BertAttention(Module& owner, const BertConfig& config)
    : Module(owner, "attention"), self_(*this, config), output_(*this, config.width, config) {}

Tensor BertAttention::operator()(const Tensor& x, const Tensor& mask) const {
  const ModuleScope here = scope();
  return output_(self_(x, mask), x);
}

BertIntermediate::BertIntermediate(Module& owner, const BertConfig& config)
    : Module(owner, "intermediate"), dense_(*this, "dense", config.width, config.inner) {}

Tensor BertIntermediate::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  return gelu(dense_(x));
}

BertLayer::BertLayer(Module& owner, std::string name, const BertConfig& config)
    : Module(owner, std::move(name)),
      attention_(*this, config),
      intermediate_(*this, config),
      output_(*this, config.inner, config) {}

Tensor BertLayer::operator()(const Tensor& x, const Tensor& mask) const {
  const ModuleScope here = scope();
  const Tensor attended = attention_(x, mask);
  return output_(intermediate_(attended), attended);
}

BertEncoder::BertEncoder(Module& owner, const BertConfig& config)
    : Module(owner, "encoder"), layer_(*this, "layer") {
  for (int64_t i = 0; i < config.layers; ++i) layers_.emplace_back(layer_, cat(i), config);
}

Tensor BertEncoder::operator()(const Tensor& x, const Tensor& mask) const {
  const ModuleScope here = scope();
  Tensor y = x;
  for (const BertLayer& layer : layers_) y = layer(y, mask);
  return y;
}

Bert::Bert(const BertConfig& config) : embeddings_(*this, config), encoder_(*this, config) {}

Bert::Bert(Module& owner, std::string name, const BertConfig& config)
    : Module(owner, std::move(name)), embeddings_(*this, config), encoder_(*this, config) {}

Tensor Bert::operator()(const Tensor& input_ids, const Tensor& mask) const {
  const ModuleScope here = scope();
  return encoder_(embeddings_(input_ids), mask);
}

BertPooler::BertPooler(Module& owner, const BertConfig& config)
    : Module(owner, "pooler"), dense_(*this, "dense", config.width, config.width) {}

Tensor BertPooler::operator()(const Tensor& hidden) const {
  const ModuleScope here = scope();
  return tanh(dense_(select(hidden, 1, 0)));
}

BertClassifier::BertClassifier(const BertConfig& config, int64_t classes)
    : bert_(*this, "bert", config),
      pooler_(*this, config),
      dropout_(*this, "dropout", config.dropout),
      classifier_(*this, "classifier", config.width, classes) {}

Tensor BertClassifier::operator()(const Tensor& input_ids, const Tensor& mask) const {
  return classifier_(dropout_(pooler_(bert_(input_ids, mask))));
}

}  // namespace vitro::models
