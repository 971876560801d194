#include "vitro/models/gpt2.h"

#include "heads.h"
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
      c_attn_(*this, "c_attn", config.width, 3 * config.width),
      c_proj_(*this, "c_proj", config.width, config.width) {}

Tensor Gpt2Attention::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  const Size width = x.size(2);
  const Tensor projected = c_attn_(x);
  const auto part = [&](int i) {
    return split_heads(slice(projected, 2, width * i, width * (i + 1)), heads_);
  };
  const Tensor q = part(0);
  const Tensor k = part(1);
  const Tensor v = part(2);
  return c_proj_(join_heads(scaled_dot_product_attention(q, k, v, {}, 0.0, true)));
}

Gpt2Mlp::Gpt2Mlp(Module& owner, const Gpt2Config& config)
    : Module(owner, "mlp"),
      c_fc_(*this, "c_fc", config.width, 4 * config.width),
      c_proj_(*this, "c_proj", 4 * config.width, config.width) {}

Tensor Gpt2Mlp::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  return c_proj_(gelu(c_fc_(x), "tanh"));
}

Gpt2Block::Gpt2Block(Module& owner, std::string name, const Gpt2Config& config)
    : Module(owner, std::move(name)),
      ln_1_(*this, "ln_1", config.width, config.eps),
      attn_(*this, config),
      ln_2_(*this, "ln_2", config.width, config.eps),
      mlp_(*this, config) {}

Tensor Gpt2Block::operator()(const Tensor& x) const {
  const ModuleScope here = scope();
  const Tensor attended = x + attn_(ln_1_(x));
  return attended + mlp_(ln_2_(attended));
}

Gpt2::Gpt2(const Gpt2Config& config)
    : wte_(*this, "wte", config.vocabulary, config.width),
      wpe_(*this, "wpe", config.positions, config.width),
      h_(*this, "h"),
      ln_f_(*this, "ln_f", config.width, config.eps) {
  for (int64_t i = 0; i < config.layers; ++i) blocks_.emplace_back(h_, cat(i), config);
}

Tensor Gpt2::operator()(const Tensor& input_ids) const {
  Tensor x = wte_(input_ids) + slice(wpe_.weight, 0, 0, input_ids.size(1));
  for (const Gpt2Block& block : blocks_) x = block(x);
  return linear(ln_f_(x), wte_.weight);
}

}  // namespace vitro::models
