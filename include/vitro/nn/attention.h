// Attention with several heads; names, shapes and initial values are those of torch.nn.
//   nn::MultiheadAttention attention{*this, "attention", 512, 8, {.batch_first = true}};
//   auto [y, weights] = attention(q, k, v, {.key_padding_mask = is_padding});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "vitro/nn/linear.h"
#include "vitro/nn/module.h"
#include "vitro/ops/define.h"

namespace vitro::nn {

struct AttentionOptions {
  double dropout = 0;                // of the weights of keys, in training
  bool bias = true;                  // of the projections
  bool add_bias_kv = false;          // a key and a value that are parameters follow the others
  bool add_zero_attn = false;        // a key and a value of zeros follow the others
  std::optional<int64_t> kdim = {};  // the widths of keys and values, if they are not embed_dim
  std::optional<int64_t> vdim = {};
  bool batch_first = false;
};

// A bool mask is true where a key takes NO part (in scaled_dot_product_attention it is true where
// one does), as in PyTorch; a floating-point mask is added to the scores.
struct AttentionMasks {
  Tensor key_padding_mask = {};      // [n, keys], or [keys] without a batch
  bool need_weights = true;          // else the second result is undefined, and memory is saved
  Tensor attn_mask = {};             // [queries, keys] or [n * heads, queries, keys]
  bool average_attn_weights = true;  // over the heads
  bool is_causal = false;            // without an attn_mask: query i attends to keys 0 to i
};

// softmax(q k^T / sqrt(width of a head)) v of each head, with linear projections of query, key,
// value and result. Query [queries, n, embed_dim], key [keys, n, kdim], value [keys, n, vdim], with
// n first if `batch_first`, or without n. Returns the result, of the sizes of the query, and the
// weights [n, queries, keys], of each head [n, heads, queries, keys].
class MultiheadAttention : public Module {
 public:
  MultiheadAttention(Module& owner, std::string name, int64_t embed_dim, int64_t num_heads,
                     AttentionOptions options = {});
  std::tuple<Tensor, Tensor> operator()(ops::At query, const Tensor& key, const Tensor& value,
                                        const AttentionMasks& masks = {}) const;
  Linear out_proj;
  // The three projections are one parameter if all widths are equal, else the others are defined.
  Tensor in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias, bias_k, bias_v;

 private:
  struct Projected {
    Tensor q, k, v;
  };
  Projected project(const Tensor& query, const Tensor& key, const Tensor& value) const;
  Tensor heads(const Tensor& t) const;
  Tensor extended(const Tensor& t, const Tensor& bias) const;
  Tensor scores_mask(const AttentionMasks& masks, const Tensor& query, const Tensor& key) const;

  int64_t embed_dim_, heads_;
  AttentionOptions options_;
};

}  // namespace vitro::nn
