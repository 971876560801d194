#include "vitro/nn/module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vitro/base/error.h"
#include "vitro/core/generator.h"
#include "vitro/nn/bert.h"
#include "vitro/nn/gpt2.h"
#include "vitro/nn/init.h"
#include "vitro/nn/mlp.h"

namespace vitro::nn {
namespace {

std::vector<std::string> names_of(Module& module) {
  std::vector<std::string> names;
  for (const auto& [name, slot] : module.named_parameters()) names.push_back(name);
  return names;
}

TEST(Module, names_parameters_by_their_path) {
  Mlp mlp{8, 4, 2};
  EXPECT_EQ(names_of(mlp),
            (std::vector<std::string>{"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}));
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
  EXPECT_EQ(bert.parameter_count(),
            22'713'216 - (384 * 384 + 384));  // without the pooler, which is not used
}

TEST(Gpt2, has_the_parameter_names_of_published_weights) {
  Gpt2 gpt2({.vocabulary = 10, .width = 8, .layers = 1, .heads = 2, .positions = 4});
  EXPECT_EQ(names_of(gpt2).at(0), "wte.weight");
  EXPECT_EQ(names_of(gpt2).at(2), "h.0.ln_1.weight");
  EXPECT_EQ(names_of(gpt2).at(4), "h.0.attn.c_attn.weight");
  EXPECT_EQ(names_of(gpt2).back(), "ln_f.bias");
}

TEST(Module, says_all_that_is_wrong_with_weights_and_changes_nothing) {
  Mlp mlp{3, 2};
  const Tensor before = *mlp.parameters()[0];
  try {
    mlp.load([](std::string_view name) {
      return name == "fc1.weight" ? constant({3, 2}, 1) : Tensor();
    });
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "load: the weights do not fit this model:\n  fc1.weight: got f32[3, 2], needs "
                 "f32[2, 3]\n  fc1.bias: not there");
  }
  EXPECT_TRUE(mlp.parameters()[0]->same_as(before));
}

TEST(Init, the_same_seed_gives_the_same_numbers) {
  manual_seed(3);
  const std::vector<float> a = normal({100}, 0, 1).to_vector<float>();
  manual_seed(3);
  EXPECT_EQ(normal({100}, 0, 1).to_vector<float>(), a);
  EXPECT_NE(normal({100}, 0, 1).to_vector<float>(), a);
}

TEST(Init, has_the_moments_that_were_asked_for) {
  manual_seed(1);
  const auto moments = [](const std::vector<float>& v) {
    double mean = 0, square = 0;
    for (const float x : v) mean += static_cast<double>(x) / static_cast<double>(v.size());
    for (const float x : v)
      square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
    return std::pair(mean, std::sqrt(square / static_cast<double>(v.size())));
  };
  const auto [mean, deviation] = moments(normal({1000, 200}, 2, 0.5).to_vector<float>());
  EXPECT_NEAR(mean, 2, 0.01);
  EXPECT_NEAR(deviation, 0.5, 0.01);
  const auto [middle, spread] = moments(uniform({1000, 200}, -1, 1).to_vector<float>());
  EXPECT_NEAR(middle, 0, 0.01);
  EXPECT_NEAR(spread, 1 / std::sqrt(3.0), 0.01);
}

}  // namespace
}  // namespace vitro::nn
