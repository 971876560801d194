// Transformers: the layers' parts in PyTorch's order, and norms before or after them.
#include "vitro/nn/transformer.h"

#include <limits>

#include "vitro/base/called_as.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

AttentionOptions attention_of(const TransformerOptions& options) {
  return {.dropout = options.dropout, .bias = options.bias, .batch_first = options.batch_first};
}

// x + part(norm(x)), or norm(x + part(x)).
template <class Part>
Tensor residual(const Tensor& x, bool norm_first, const LayerNorm& norm, Part part) {
  return norm_first ? x + part(norm(x)) : norm(x + part(x));
}

Tensor attend(const MultiheadAttention& attention, const Tensor& x, const Tensor& to,
              const Tensor& mask, const Tensor& padding, bool is_causal) {
  return std::get<0>(attention(x, to, to,
                               {.key_padding_mask = padding,
                                .need_weights = false,
                                .attn_mask = mask,
                                .is_causal = is_causal}));
}

}  // namespace

TransformerEncoderLayer::TransformerEncoderLayer(Module& owner, std::string name, int64_t d_model,
                                                 int64_t nhead, TransformerOptions options)
    : Module(owner, std::move(name), "TransformerEncoderLayer"),
      self_attn(*this, "self_attn", d_model, nhead, attention_of(options)),
      linear1(*this, "linear1", d_model, options.dim_feedforward, options.bias),
      dropout(*this, "dropout", options.dropout),
      linear2(*this, "linear2", options.dim_feedforward, d_model, options.bias),
      norm1(*this, "norm1", d_model, options.layer_norm_eps, true, options.bias),
      norm2(*this, "norm2", d_model, options.layer_norm_eps, true, options.bias),
      dropout1(*this, "dropout1", options.dropout),
      dropout2(*this, "dropout2", options.dropout),
      activation_(options.activation),
      norm_first_(options.norm_first) {}

Tensor TransformerEncoderLayer::operator()(ops::At src, const Tensor& src_mask,
                                           const Tensor& src_key_padding_mask,
                                           bool is_causal) const {
  return forward(src, [&](const ops::At& in) {
    const CalledAs name("transformer_encoder_layer", in.where);
    const auto attention = [&](const Tensor& t) {
      return dropout1(attend(self_attn, t, t, src_mask, src_key_padding_mask, is_causal));
    };
    const auto feed_forward = [&](const Tensor& t) {
      return dropout2(linear2(dropout(activation_(linear1(t)))));
    };
    const Tensor x = residual(in.operand.tensor(), norm_first_, norm1, attention);
    return residual(x, norm_first_, norm2, feed_forward);
  });
}

TransformerDecoderLayer::TransformerDecoderLayer(Module& owner, std::string name, int64_t d_model,
                                                 int64_t nhead, TransformerOptions options)
    : Module(owner, std::move(name), "TransformerDecoderLayer"),
      self_attn(*this, "self_attn", d_model, nhead, attention_of(options)),
      multihead_attn(*this, "multihead_attn", d_model, nhead, attention_of(options)),
      linear1(*this, "linear1", d_model, options.dim_feedforward, options.bias),
      dropout(*this, "dropout", options.dropout),
      linear2(*this, "linear2", options.dim_feedforward, d_model, options.bias),
      norm1(*this, "norm1", d_model, options.layer_norm_eps, true, options.bias),
      norm2(*this, "norm2", d_model, options.layer_norm_eps, true, options.bias),
      norm3(*this, "norm3", d_model, options.layer_norm_eps, true, options.bias),
      dropout1(*this, "dropout1", options.dropout),
      dropout2(*this, "dropout2", options.dropout),
      dropout3(*this, "dropout3", options.dropout),
      activation_(options.activation),
      norm_first_(options.norm_first) {}

Tensor TransformerDecoderLayer::operator()(ops::At tgt, const Tensor& memory,
                                           const Tensor& tgt_mask, const Tensor& memory_mask,
                                           const Tensor& tgt_key_padding_mask,
                                           const Tensor& memory_key_padding_mask,
                                           bool tgt_is_causal, bool memory_is_causal) const {
  return forward(tgt, [&](const ops::At& in) {
    const CalledAs name("transformer_decoder_layer", in.where);
    const auto attention = [&](const Tensor& t) {
      return dropout1(attend(self_attn, t, t, tgt_mask, tgt_key_padding_mask, tgt_is_causal));
    };
    const auto to_memory = [&](const Tensor& t) {
      return dropout2(attend(multihead_attn, t, memory, memory_mask, memory_key_padding_mask,
                             memory_is_causal));
    };
    const auto feed_forward = [&](const Tensor& t) {
      return dropout3(linear2(dropout(activation_(linear1(t)))));
    };
    const Tensor x = residual(in.operand.tensor(), norm_first_, norm1, attention);
    const Tensor y = residual(x, norm_first_, norm2, to_memory);
    return residual(y, norm_first_, norm3, feed_forward);
  });
}

TransformerEncoder::TransformerEncoder(Module& owner, std::string name, int64_t d_model,
                                       int64_t nhead, int64_t num_layers,
                                       const TransformerOptions& options, bool with_norm)
    : Module(owner, std::move(name), "TransformerEncoder"),
      layers(*this, "layers", num_layers, d_model, nhead, options) {
  if (with_norm) norm.emplace(*this, "norm", d_model, options.layer_norm_eps, true, options.bias);
}

Tensor TransformerEncoder::operator()(ops::At src, const Tensor& mask,
                                      const Tensor& src_key_padding_mask, bool is_causal) const {
  return forward(src, [&](const ops::At& in) {
    Tensor x = in.operand.tensor();
    for (const TransformerEncoderLayer& layer : layers)
      x = layer({x, in.where}, mask, src_key_padding_mask, is_causal);
    return norm ? (*norm)({x, in.where}) : x;
  });
}

TransformerDecoder::TransformerDecoder(Module& owner, std::string name, int64_t d_model,
                                       int64_t nhead, int64_t num_layers,
                                       const TransformerOptions& options, bool with_norm)
    : Module(owner, std::move(name), "TransformerDecoder"),
      layers(*this, "layers", num_layers, d_model, nhead, options) {
  if (with_norm) norm.emplace(*this, "norm", d_model, options.layer_norm_eps, true, options.bias);
}

Tensor TransformerDecoder::operator()(ops::At tgt, const Tensor& memory, const Tensor& tgt_mask,
                                      const Tensor& memory_mask, const Tensor& tgt_key_padding_mask,
                                      const Tensor& memory_key_padding_mask, bool tgt_is_causal,
                                      bool memory_is_causal) const {
  return forward(tgt, [&](const ops::At& in) {
    Tensor x = in.operand.tensor();
    for (const TransformerDecoderLayer& layer : layers)
      x = layer({x, in.where}, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                memory_key_padding_mask, tgt_is_causal, memory_is_causal);
    return norm ? (*norm)({x, in.where}) : x;
  });
}

Transformer::Transformer(Module& owner, std::string name, int64_t d_model, int64_t nhead,
                         int64_t num_encoder_layers, int64_t num_decoder_layers,
                         const TransformerOptions& options)
    : Module(owner, std::move(name), "Transformer"),
      encoder(*this, "encoder", d_model, nhead, num_encoder_layers, options, true),
      decoder(*this, "decoder", d_model, nhead, num_decoder_layers, options, true) {
  for (const Tensor* parameter : parameters())
    if (parameter->rank() > 1) init::xavier_uniform_(*parameter);
}

Tensor Transformer::operator()(ops::At src, const Tensor& tgt,
                               const TransformerMasks& masks) const {
  const ModuleScope here = scope();
  const Tensor memory =
      encoder(src, masks.src_mask, masks.src_key_padding_mask, masks.src_is_causal);
  return decoder({tgt, src.where}, memory, masks.tgt_mask, masks.memory_mask,
                 masks.tgt_key_padding_mask, masks.memory_key_padding_mask, masks.tgt_is_causal,
                 masks.memory_is_causal);
}

Tensor Transformer::generate_square_subsequent_mask(Size steps, DType dtype) {
  return triu(full({steps, steps}, -std::numeric_limits<double>::infinity(), dtype), 1);
}

}  // namespace vitro::nn
