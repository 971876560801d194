// Layers: the parameters of torch.nn, and what the layers compute.
#include "vitro/nn/layers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro::nn {
namespace {

class Layers : public testing::Test {
 protected:
  static void SetUpTestSuite() { vitro::init(); }
};

std::vector<std::string> shapes_of(Module& module) {
  std::vector<std::string> out;
  for (const auto& [name, slot] : module.named_parameters())
    out.push_back(cat(name, ' ', slot->sizes()));
  return out;
}

TEST_F(Layers, of_convolutions_have_torch_s_parameters) {
  struct : Module {
    Conv1d a{*this, "a", 4, 6, 3, {.groups = 2}};
    Conv3d b{*this, "b", 2, 3, {1, 2, 3}, {}, false};
    ConvTranspose1d c{*this, "c", 4, 6, 5, {.groups = 2}};
    ConvTranspose2d d{*this, "d", 2, 3, {2, 4}};
  } model;
  EXPECT_EQ(shapes_of(model),
            (std::vector<std::string>{"a.weight [6, 2, 3]", "a.bias [6]",
                                      "b.weight [3, 2, 1, 2, 3]", "c.weight [4, 3, 5]",
                                      "c.bias [6]", "d.weight [2, 3, 2, 4]", "d.bias [3]"}));
  const double bound = 1 / std::sqrt(3.0 * 5);  // of torch: by the results of a group
  const double most = amax(abs(model.c.weight)).item<double>();
  EXPECT_GT(most, 0.8 * bound);
  EXPECT_LE(most, bound);
  EXPECT_EQ(model.d(full({1, 2, 5, 5}, 1.0)).sizes(), Sizes({1, 3, 6, 8}));
}

TEST_F(Layers, convolve_with_the_border_that_their_mode_says) {
  Module root;
  const std::pair<PaddingMode, std::vector<float>> wanted[] = {
      {PaddingMode::zeros, {3, 6, 9, 7}},
      {PaddingMode::reflect, {5, 6, 9, 10}},
      {PaddingMode::replicate, {4, 6, 9, 11}},
      {PaddingMode::circular, {7, 6, 9, 8}},
  };
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F}, {1, 4});
  for (const auto& [mode, result] : wanted) {
    for (const ops::ConvPadding& padding : {ops::ConvPadding(1), ops::ConvPadding("same")}) {
      Conv1d layer(root, cat("conv", root.parameters().size()), 1, 1, 3, {.padding = padding},
                   false, mode);
      layer.weight = full({1, 1, 3}, 1.0);
      EXPECT_EQ(layer(x).to_vector<float>(), result);
    }
  }
}

}  // namespace
}  // namespace vitro::nn
