// LLaMA with made-up weights, compared with the same network in torch. The expected numbers are
// what tests/models/values/llama.py prints.
#include "vitro/models/llama.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "made_up.h"
#include "vitro/vitro.h"

namespace vitro::models {
namespace {

constexpr LlamaConfig grouped{.vocabulary = 50,
                              .width = 96,
                              .layers = 3,
                              .heads = 6,
                              .inner = 160,
                              .kv_heads = 2,
                              .positions = 64};

void check_logits(std::string_view name, const LlamaConfig& config, const Tensor& ids,
                  const Expected& expected) {
  Llama model(config);
  fill(model);
  check(name, [&](const Tensor& x) { return model(x); }, ids, expected);
}

TEST(Llama, has_the_logits_of_torch_eagerly_and_compiled) {
  check_logits(
      "two layers of 110M", {.vocabulary = 500, .layers = 2}, made_up_tokens(1, 128, 500),
      {1.983F,
       12007,
       {0.53736552F, -0.29621421F, -0.011419883F, -0.22754763F, 0.32935578F, 0.28802861F}});
  check_logits(
      "grouped heads", grouped, made_up_tokens(2, 19, 50),
      {2.1773F, 397, {-1.9156479F, -0.12230587F, 0.33141539F, -0.14196985F, -0.32679447F}});
}

TEST(Llama, takes_any_number_of_tokens_with_one_program) {
  Llama model(grouped);
  const auto compiled = compile([&](const Tensor& x) { return model(x); });
  for (const auto& [batch, length] : {std::pair{3, 9}, {2, 7}, {5, 33}, {4, 64}}) {
    const Tensor x = made_up_tokens(batch, length, 50);
    EXPECT_EQ(compiled(x).to_vector<float>(), model(x).to_vector<float>());
  }
  EXPECT_LE(compiled.report().segments.size(), 2u);  // for 3 times 9, then for any sizes
}

TEST(Llama, has_the_parameter_names_of_published_weights) {
  Llama model(LlamaConfig::m110());
  EXPECT_EQ(model.parameter_count(), 109'529'856);
  check_names(model, {"embed_tokens.weight", "layers.0.self_attn.q_proj.weight",
                      "layers.11.self_attn.k_proj.weight", "layers.11.self_attn.v_proj.weight",
                      "layers.11.self_attn.o_proj.weight", "layers.11.mlp.gate_proj.weight",
                      "layers.11.mlp.up_proj.weight", "layers.11.mlp.down_proj.weight",
                      "layers.11.input_layernorm.weight",
                      "layers.11.post_attention_layernorm.weight", "norm.weight"});
}

TEST(Llama, needs_heads_that_divide_its_width_and_few_enough_tokens) {
  EXPECT_EQ(error_of([] { Llama wrong({.width = 96, .heads = 6, .kv_heads = 4}); }),
            "Llama: a width of 96 with 6 heads and 4 heads of keys and values: each must be a "
            "multiple of the next");
  Llama model(grouped);
  EXPECT_EQ(error_of([&] { (void)model(made_up_tokens(1, 65, 50)); }),
            "Llama: 65 tokens, but there are 64 positions");
}

}  // namespace
}  // namespace vitro::models
