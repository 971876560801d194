// Transformers (Vaswani et al., 2017); names, shapes and defaults are those of torch.nn.
//   nn::TransformerEncoder encoder{*this, "encoder", 512, 8, 6, {.batch_first = true}};
//   Tensor y = encoder(x, {}, is_padding);
// Masks are those of MultiheadAttention: true means that a key takes no part. Sequences are
// [steps, n, d_model], or [n, steps, d_model] with `batch_first`, or without n. Each layer has
// initial values of its own; PyTorch's are copies of one layer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vitro/nn/activations.h"
#include "vitro/nn/attention.h"
#include "vitro/nn/containers.h"
#include "vitro/nn/dropout.h"
#include "vitro/nn/linear.h"
#include "vitro/nn/module.h"
#include "vitro/nn/norms.h"

namespace vitro::nn {

struct TransformerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  Activation activation = "relu";  // or "gelu", or a function
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  // norms before attention and feed-forward, not after
  bool bias = true;
};

// Self-attention and a feed-forward network, each with a residual connection and a norm.
class TransformerEncoderLayer : public Module {
 public:
  TransformerEncoderLayer(Module& owner, std::string name, int64_t d_model, int64_t nhead,
                          TransformerOptions options = {});
  Tensor operator()(ops::At src, const Tensor& src_mask = {},
                    const Tensor& src_key_padding_mask = {}, bool is_causal = false) const;

  MultiheadAttention self_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2;
  Dropout dropout1, dropout2;

 private:
  Activation activation_;
  bool norm_first_;
};

// The same with attention to the results of an encoder, `memory`, in the middle.
class TransformerDecoderLayer : public Module {
 public:
  TransformerDecoderLayer(Module& owner, std::string name, int64_t d_model, int64_t nhead,
                          TransformerOptions options = {});
  Tensor operator()(ops::At tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                    const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                    const Tensor& memory_key_padding_mask = {}, bool tgt_is_causal = false,
                    bool memory_is_causal = false) const;

  MultiheadAttention self_attn, multihead_attn;
  Linear linear1;
  Dropout dropout;
  Linear linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout1, dropout2, dropout3;

 private:
  Activation activation_;
  bool norm_first_;
};

// Layers one after the other, and a norm of the result if `with_norm`.
class TransformerEncoder : public Module {
 public:
  TransformerEncoder(Module& owner, std::string name, int64_t d_model, int64_t nhead,
                     int64_t num_layers, const TransformerOptions& options = {},
                     bool with_norm = false);
  Tensor operator()(ops::At src, const Tensor& mask = {}, const Tensor& src_key_padding_mask = {},
                    bool is_causal = false) const;

  ModuleList<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;
};

class TransformerDecoder : public Module {
 public:
  TransformerDecoder(Module& owner, std::string name, int64_t d_model, int64_t nhead,
                     int64_t num_layers, const TransformerOptions& options = {},
                     bool with_norm = false);
  Tensor operator()(ops::At tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                    const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                    const Tensor& memory_key_padding_mask = {}, bool tgt_is_causal = false,
                    bool memory_is_causal = false) const;

  ModuleList<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;
};

// Of a call of Transformer.
struct TransformerMasks {
  Tensor src_mask = {}, tgt_mask = {}, memory_mask = {};
  Tensor src_key_padding_mask = {}, tgt_key_padding_mask = {}, memory_key_padding_mask = {};
  bool src_is_causal = false, tgt_is_causal = false, memory_is_causal = false;
};
// An encoder and a decoder, both with a norm of their results. Matrices begin as xavier_uniform_.
class Transformer : public Module {
 public:
  Transformer(Module& owner, std::string name, int64_t d_model = 512, int64_t nhead = 8,
              int64_t num_encoder_layers = 6, int64_t num_decoder_layers = 6,
              const TransformerOptions& options = {});
  Tensor operator()(ops::At src, const Tensor& tgt, const TransformerMasks& masks = {}) const;

  // The mask [steps, steps] with which step i attends to steps 0 to i: 0 there, else -infinity.
  static Tensor generate_square_subsequent_mask(Size steps, DType dtype = default_float);

  TransformerEncoder encoder;
  TransformerDecoder decoder;
};

}  // namespace vitro::nn
