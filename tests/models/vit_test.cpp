// Vision transformers with made-up weights, compared with the same networks in torch. The expected
// numbers are what tests/models/values/vit.py prints.
#include "vitro/models/vit.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "made_up.h"
#include "vitro/vitro.h"

namespace vitro::models {
namespace {

constexpr VitConfig small{
    .image = 32, .patch = 8, .width = 48, .layers = 3, .heads = 4, .inner = 192, .classes = 10};

void check_scores(std::string_view name, const VitConfig& config, const Tensor& images,
                  const Expected& expected) {
  Vit model(config);
  fill(model);
  check(name, [&](const Tensor& x) { return model(x); }, images, expected);
}

TEST(Vit, has_the_scores_of_torch_eagerly_and_compiled) {
  check_scores("two layers of B/16", {.layers = 2}, made_up_images({1, 3, 224, 224}),
               {11.062F,
                97,
                {-4.5789672F, -4.7123972F, -3.9300257F, -2.0239872F, -0.22685618F, 2.2905481F,
                 4.7934884F, 7.4852171F, 10.562755F, 6.2993444F, 3.2979129F}});
  check_scores("small", small, made_up_images({3, 3, 32, 32}),
               {2.47F, 7, {-1.9149381F, 1.8683758F, 1.9449453F, 2.4699846F, -1.2384012F}});
}

TEST(Vit, takes_any_number_of_images_with_one_program) {
  Vit model(small);
  const auto compiled = compile([&](const Tensor& x) { return model(x); });
  for (const int64_t images : {3, 2, 5, 4}) {
    const Tensor x = made_up_images({images, 3, 32, 32});
    EXPECT_EQ(compiled(x).to_vector<float>(), model(x).to_vector<float>());
  }
  EXPECT_LE(compiled.report().segments.size(), 2u);  // for 3, then for any number
}

TEST(Vit, has_the_parameter_names_and_the_size_of_torchvision) {
  Vit model(VitConfig::b_16());
  EXPECT_EQ(model.parameter_count(), 86'567'656);  // torchvision.models.vit_b_16
  check_names(
      model,
      {"class_token", "conv_proj.weight", "encoder.pos_embedding",
       "encoder.layers.encoder_layer_0.ln_1.weight",
       "encoder.layers.encoder_layer_11.self_attention.in_proj_weight",
       "encoder.layers.encoder_layer_11.self_attention.in_proj_bias",
       "encoder.layers.encoder_layer_11.self_attention.out_proj.bias",
       "encoder.layers.encoder_layer_11.ln_2.bias", "encoder.layers.encoder_layer_11.mlp.0.weight",
       "encoder.layers.encoder_layer_11.mlp.3.bias", "encoder.ln.weight", "heads.head.weight"});
}

TEST(Vit, needs_images_of_its_size) {
  Vit model(small);
  EXPECT_EQ(error_of([&] { (void)model(made_up_images({1, 3, 32, 40})); }),
            "Vit: needs images of sizes [n, 3, 32, 32], got [1, 3, 32, 40]");
  EXPECT_EQ(error_of([&] { Vit wrong({.image = 30, .patch = 8}); }),
            "Vit: the side of an image, 30, must be a multiple of that of a patch, 8");
}

}  // namespace
}  // namespace vitro::models
