// The modules of GPT-2, from embedding to logits; see gpt2.h.
#include "vitro/models/gpt2.h"

#include "heads.h"
#include "vitro/base/error.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::models {

using nn::Module;

Conv1D::Conv1D(Module& owner, std::string name, int64_t in, int64_t out)
    : Module(owner, std::move(name)) {
  add_parameter("weight", weight, nn::normal({in, out}, 0, 0.02));
  add_parameter("bias", bias, nn::constant({out}, 0));
}

Tensor Conv1D::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  const Size batch = x.size(0), length = x.size(1);
  const Tensor rows = view(x, {batch * length, x.size(2)});
  return view(addmm(bias, rows, weight), {batch, length, weight.size(1)});
}

Gpt2Attention::Gpt2Attention(Module& owner, const Gpt2Config& config)
    : Module(owner, "attn"),
      heads_(config.heads),
      dropout_(config.dropout),
      c_attn_(*this, "c_attn", config.width, 3 * config.width),
      c_proj_(*this, "c_proj", config.width, config.width),
      resid_dropout_(*this, "resid_dropout", config.dropout) {}

Tensor Gpt2Attention::operator()(const Tensor& x, const Past& past) const {
  const ModuleScope here = scope();
  const Size width = x.size(2);
  const Tensor projected = c_attn_(x);
  const auto part = [&](int i) {
    return split_heads(slice(projected, 2, width * i, width * (i + 1)), heads_);
  };
  const Tensor q = part(0);
  const Tensor k = part(1);
  const Tensor v = part(2);
  const Tensor mixed = causal_attention(q, k, v, past, is_training() ? dropout_ : 0);
  return resid_dropout_(c_proj_(join_heads(mixed)));
}

Gpt2Mlp::Gpt2Mlp(Module& owner, const Gpt2Config& config)
    : Module(owner, "mlp"),
      c_fc_(*this, "c_fc", config.width, 4 * config.width),
      c_proj_(*this, "c_proj", 4 * config.width, config.width),
      dropout_(*this, "dropout", config.dropout) {}

Tensor Gpt2Mlp::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  return dropout_(c_proj_(gelu(c_fc_(x), "tanh")));
}

Gpt2Block::Gpt2Block(Module& owner, std::string name, const Gpt2Config& config)
    : Module(owner, std::move(name)),
      ln_1_(*this, "ln_1", config.width, config.eps),
      attn_(*this, config),
      ln_2_(*this, "ln_2", config.width, config.eps),
      mlp_(*this, config) {}

Tensor Gpt2Block::operator()(const Tensor& x, const Past& past) const {
  const ModuleScope here = scope();
  const Tensor attended = x + attn_(ln_1_(x), past);
  return attended + mlp_(ln_2_(attended));
}

Gpt2::Gpt2(const Gpt2Config& config)
    : heads_(config.heads),
      wte_(*this, "wte", config.vocabulary, config.width),
      wpe_(*this, "wpe", config.positions, config.width),
      drop_(*this, "drop", config.dropout),
      h_(*this, "h"),
      ln_f_(*this, "ln_f", config.width, config.eps) {
  for (const Tensor& table : {wte_.weight, wpe_.weight}) mul_(table, 0.02);  // its deviation
  for (int64_t i = 0; i < config.layers; ++i) blocks_.emplace_back(h_, cat(i), config);
}

KvCache Gpt2::cache(int64_t batch, int64_t capacity) const {
  return KvCache({.layers = static_cast<int64_t>(blocks_.size()),
                  .batch = batch,
                  .heads = heads_,
                  .capacity = capacity,
                  .width = wte_.weight.size(1) / heads_},
                 wte_.weight.dtype());
}

Tensor Gpt2::hidden(const Tensor& input_ids, KvCache* cache) const {
  const int64_t begin = cache ? cache->length() : 0;
  const int64_t end = begin + input_ids.size(1).value();
  VITRO_CHECK(end <= positions(), "Gpt2: ", end, " tokens, but there are ", positions(),
              " positions");
  Tensor x = drop_(wte_(input_ids) + slice(wpe_.weight, 0, begin, end));
  for (size_t i = 0; i < blocks_.size(); ++i) x = blocks_[i](x, {cache, i});
  if (cache) cache->advance(input_ids.size(1));
  return ln_f_(x);
}

Tensor Gpt2::head(const Tensor& hidden) const {
  return linear(hidden, wte_.weight);
}

}  // namespace vitro::models
