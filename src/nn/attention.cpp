// Attention with several heads: projections, heads as a dimension, masks.
#include "vitro/nn/attention.h"

#include <cmath>
#include <limits>

#include "core/numbers.h"
#include "vitro/base/called_as.h"
#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

// xavier_uniform_ of a matrix.
Tensor matrix(int64_t rows, int64_t columns) {
  const double bound = std::sqrt(6.0 / static_cast<double>(rows + columns));
  return uniform({rows, columns}, -bound, bound);
}

// A mask as what is added to the scores.
Tensor added(const Tensor& mask, DType dtype) {
  if (mask.dtype() != DType::boolean) return to(mask, dtype);
  return masked_fill(zeros(mask.sizes(), dtype, mask.device()), mask,
                     -std::numeric_limits<double>::infinity());
}

// 0 where key j <= query i, else -infinity.
Tensor causal(Size queries, Size keys, const Tensor& like) {
  return triu(
      full({queries, keys}, -std::numeric_limits<double>::infinity(), like.dtype(), like.device()),
      1);
}

}  // namespace

MultiheadAttention::MultiheadAttention(Module& owner, std::string name, int64_t embed_dim,
                                       int64_t num_heads, AttentionOptions options)
    : Module(owner, std::move(name), "MultiheadAttention"),
      out_proj(*this, "out_proj", embed_dim, embed_dim, options.bias),
      embed_dim_(embed_dim),
      heads_(num_heads),
      options_(options) {
  VITRO_CHECK(embed_dim > 0 && num_heads > 0 && embed_dim % num_heads == 0,
              "MultiheadAttention: embed_dim ", embed_dim, " is not a multiple of ", num_heads,
              " heads");
  VITRO_CHECK(options.dropout >= 0 && options.dropout <= 1,
              "MultiheadAttention: needs a dropout in [0, 1], got ", options.dropout);
  const int64_t kdim = options.kdim.value_or(embed_dim), vdim = options.vdim.value_or(embed_dim);
  if (kdim == embed_dim && vdim == embed_dim) {
    add_parameter("in_proj_weight", in_proj_weight, matrix(3 * embed_dim, embed_dim));
  } else {
    add_parameter("q_proj_weight", q_proj_weight, matrix(embed_dim, embed_dim));
    add_parameter("k_proj_weight", k_proj_weight, matrix(embed_dim, kdim));
    add_parameter("v_proj_weight", v_proj_weight, matrix(embed_dim, vdim));
  }
  if (options.bias) {
    add_parameter("in_proj_bias", in_proj_bias, constant({3 * embed_dim}, 0));
    zero_(out_proj.bias);
  }
  if (!options.add_bias_kv) return;
  const double deviation = 1 / std::sqrt(static_cast<double>(embed_dim));
  add_parameter("bias_k", bias_k, normal({1, 1, embed_dim}, 0, deviation));
  add_parameter("bias_v", bias_v, normal({1, 1, embed_dim}, 0, deviation));
}

MultiheadAttention::Projected MultiheadAttention::project(const Tensor& query, const Tensor& key,
                                                          const Tensor& value) const {
  if (in_proj_weight.defined() && key.same_as(query) && value.same_as(query)) {
    const std::vector<Tensor> all = chunk(linear(query, in_proj_weight, in_proj_bias), 3, -1);
    return {all[0], all[1], all[2]};
  }
  const auto part = [&](const Tensor& all, int64_t i) {
    return all.defined() ? slice(all, 0, i * embed_dim_, (i + 1) * embed_dim_) : Tensor();
  };
  const auto one = [&](const Tensor& x, const Tensor& weight, int64_t i) {
    return linear(x, weight.defined() ? weight : part(in_proj_weight, i), part(in_proj_bias, i));
  };
  const Tensor q = one(query, q_proj_weight, 0), k = one(key, k_proj_weight, 1);
  return {q, k, one(value, v_proj_weight, 2)};
}

// [n, steps, embed_dim] as [n, heads, steps, width of a head].
Tensor MultiheadAttention::heads(const Tensor& t) const {
  return transpose(reshape(t, {t.size(0), t.size(1), heads_, embed_dim_ / heads_}), 1, 2);
}

// With the steps that follow those of the program.
Tensor MultiheadAttention::extended(const Tensor& t, const Tensor& bias) const {
  Tensor out = t;
  if (bias.defined()) out = cat({out, expand(bias, {t.size(0), 1, embed_dim_})}, 1);
  if (options_.add_zero_attn)
    out = cat({out, zeros({t.size(0), 1, embed_dim_}, t.dtype(), t.device())}, 1);
  return out;
}

// What is added to the scores [n, heads, queries, keys]; may be undefined.
Tensor MultiheadAttention::scores_mask(const AttentionMasks& masks, const Tensor& query,
                                       const Tensor& key) const {
  const Size n = query.size(0), queries = query.size(1), keys = key.size(1);
  Tensor mask;
  if (const Tensor& given = masks.attn_mask; given.defined()) {
    VITRO_CHECK(given.rank() == 2 || given.rank() == 3,
                "multi_head_attention: attn_mask needs rank 2 or 3, got sizes ",
                numbers_of(given.sizes()));
    mask = added(given, query.dtype());
    if (given.rank() == 3) mask = reshape(mask, {n, heads_, queries, keys});
  } else if (masks.is_causal) {
    mask = causal(queries, keys, query);
  }
  if (const Tensor& given = masks.key_padding_mask; given.defined()) {
    const Tensor padding = reshape(added(given, query.dtype()), {n, 1, 1, keys});
    mask = mask.defined() ? mask + padding : padding;
  }
  if (!mask.defined()) return mask;
  const int64_t more = int64_t{bias_k.defined()} + int64_t{options_.add_zero_attn};
  return more > 0 ? constant_pad_nd(mask, {0, more}, 0) : mask;
}

std::tuple<Tensor, Tensor> MultiheadAttention::operator()(ops::At at, const Tensor& key,
                                                          const Tensor& value,
                                                          const AttentionMasks& masks) const {
  const ModuleScope here = scope();
  const CalledAs name("multi_head_attention", at.where);
  const Tensor& query = at.operand.tensor();
  const int64_t rank = query.rank();
  VITRO_CHECK((rank == 2 || rank == 3) && key.rank() == rank && value.rank() == rank,
              "multi_head_attention: needs query, key and value of rank 2 or 3, all of one rank, "
              "got sizes ",
              numbers_of(query.sizes()), ", ", numbers_of(key.sizes()), " and ",
              numbers_of(value.sizes()));
  const bool is_single = rank == 2, turns = rank == 3 && !options_.batch_first;
  const auto batched = [&](const Tensor& t) {
    return is_single ? unsqueeze(t, 0) : turns ? transpose(t, 0, 1) : t;
  };
  // One tensor stays one, so that one product projects it.
  const Tensor q0 = batched(query), k0 = key.same_as(query) ? q0 : batched(key),
               v0 = value.same_as(query) ? q0
                    : value.same_as(key) ? k0
                                         : batched(value);
  Projected all = project(q0, k0, v0);
  const bool is_extended = bias_k.defined() || options_.add_zero_attn;
  const Tensor q = heads(all.q), k = heads(extended(all.k, bias_k)),
               v = heads(extended(all.v, bias_v));
  const double drop = is_training() ? options_.dropout : 0;
  Tensor y, weights;
  if (masks.need_weights) {
    const Tensor mask = scores_mask(masks, q0, k0);
    const double scale = std::sqrt(static_cast<double>(heads_) / static_cast<double>(embed_dim_));
    Tensor scores = matmul(q * scale, transpose(k, -2, -1));
    if (mask.defined()) scores = scores + mask;
    weights = dropout(softmax(scores, -1), drop, drop > 0);
    y = matmul(weights, v);
    if (masks.average_attn_weights) weights = mean(weights, 1);
    if (is_single) weights = squeeze(weights, 0);
  } else {
    const bool is_plain_causal = masks.is_causal && !masks.attn_mask.defined() &&
                                 !masks.key_padding_mask.defined() && !is_extended;
    const Tensor mask = is_plain_causal ? Tensor() : scores_mask(masks, q0, k0);
    y = scaled_dot_product_attention(q, k, v, mask, drop, is_plain_causal);
  }
  y = out_proj(reshape(transpose(y, 1, 2), {q0.size(0), q0.size(1), embed_dim_}));
  return {is_single ? squeeze(y, 0) : turns ? transpose(y, 0, 1) : y, weights};
}

}  // namespace vitro::nn
