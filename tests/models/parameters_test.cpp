#include <gtest/gtest.h>

#include <algorithm>

#include "vitro/models/bert.h"
#include "vitro/models/gpt2.h"

namespace vitro::models {
namespace {

std::vector<std::string> names_of(nn::Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, slot] : module.named_parameters()) names.push_back(name);
  return names;
}

TEST(Bert, has_the_parameter_names_of_published_weights) {
  Bert bert({.vocabulary = 10, .width = 8, .layers = 2, .heads = 2, .inner = 16, .positions = 4});
  const std::vector<std::string> names = names_of(bert);
  const auto has = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  EXPECT_TRUE(has("embeddings.word_embeddings.weight"));
  EXPECT_TRUE(has("embeddings.LayerNorm.bias"));
  EXPECT_TRUE(has("encoder.layer.1.attention.self.query.weight"));
  EXPECT_TRUE(has("encoder.layer.0.attention.output.LayerNorm.weight"));
  EXPECT_TRUE(has("encoder.layer.1.intermediate.dense.bias"));
  EXPECT_TRUE(has("encoder.layer.1.output.dense.weight"));
  EXPECT_EQ(names.size(), 5u + 2u * 16u);
}

TEST(Bert, is_as_large_as_the_published_model) {
  Bert bert(BertConfig::mini_lm_l6());
  const size_t width = 384, inner = 4 * width, norm = 2 * width;
  const size_t embeddings = (30522 + 512 + 2) * width + norm;  // words, positions, kinds
  const size_t attention = 4 * (width * width + width) + norm;
  const size_t feed_forward = width * inner + inner + inner * width + width + norm;
  EXPECT_EQ(bert.parameter_count(), embeddings + 6 * (attention + feed_forward));
}

TEST(Gpt2, has_the_parameter_names_of_published_weights) {
  Gpt2 gpt2({.vocabulary = 10, .width = 8, .layers = 1, .heads = 2, .positions = 4});
  EXPECT_EQ(names_of(gpt2).at(0), "wte.weight");
  EXPECT_EQ(names_of(gpt2).at(2), "h.0.ln_1.weight");
  EXPECT_EQ(names_of(gpt2).at(4), "h.0.attn.c_attn.weight");
  EXPECT_EQ(names_of(gpt2).back(), "ln_f.bias");
}

}  // namespace
}  // namespace vitro::models
