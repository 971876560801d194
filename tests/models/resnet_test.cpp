// ResNet and ResNeXt with made-up weights, compared with the same networks in torch. The expected
// numbers are what tests/models/values/resnet.py prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vitro/models/resnet.h"
#include "vitro/ops/all.h"
#include "vitro/vitro.h"

namespace vitro::models {
namespace {

// Numbers in [0, 1) that look random, as in the script.
std::vector<float> numbers(int64_t count, uint64_t seed) {
  std::vector<float> out;
  for (int64_t i = 1; i <= count; ++i) {
    const auto whole =
        static_cast<uint32_t>(static_cast<uint64_t>(i) * 2654435761 + seed * 2246822519);
    out.push_back(static_cast<float>(std::ldexp(static_cast<double>(whole), -32)));
  }
  return out;
}

void fill(nn::Module& model) {
  auto all = model.named_parameters();
  for (auto& buffer : model.named_buffers()) all.push_back(buffer);
  uint64_t seed = 0;
  for (auto& [name, slot] : all) {
    const int64_t count = slot->numel().value();
    std::vector<float> fresh = numbers(count, seed++);
    const bool shifts = name.ends_with("bias") || name.ends_with("running_mean");
    const double fan_in = static_cast<double>(count / slot->size(0).value());
    for (float& x : fresh) {
      x = slot->rank() > 1
              ? static_cast<float>((2 * static_cast<double>(x) - 1) * std::sqrt(6 / fan_in))
              : x + (shifts ? -0.5F : 0.5F);
    }
    float* to = slot->data<float>();
    std::copy(fresh.begin(), fresh.end(), to);
  }
}

struct Case {
  const char* name;
  ResNetConfig config;
  std::vector<int64_t> sizes;
  std::vector<float> scores;  // every 397th
  float largest;
};

const std::vector<Case> cases{
    {"resnet18",
     ResNetConfig::resnet18(),
     {2, 3, 64, 48},
     {3.157805F, -2.570152F, -4.553102F, 22.275602F, 22.389948F},
     28.346F},
    {"resnet50",
     ResNetConfig::resnet50(),
     {1, 3, 64, 64},
     {4583.8156F, 1562.2377F, -3238.7805F},
     8749.592F},
    {"resnext",
     {{1, 2, 1, 1}, true, 32, 8},
     {5, 3, 7, 7},
     {342.45978F, 216.78096F, -207.19729F, 101.93664F, 328.52494F},
     731.55F},
};

TEST(ResNet, has_the_scores_of_torch_eagerly_and_compiled) {
  init();
  for (const Case& one : cases) {
    ResNet model(one.config);
    fill(model);
    Sizes sizes;
    for (const int64_t size : one.sizes) sizes.push_back(size);
    const int64_t count = product(sizes).value();
    std::vector<float> pixels = numbers(count, 1000);
    for (float& x : pixels) x = 2 * x - 1;
    const Tensor images = reshape(Tensor::from(pixels, {count}), sizes);
    auto compiled = vitro::compile([&](const Tensor& x) { return model(x); });
    for (const Tensor& scores : {model(images), compiled(images)}) {
      const std::vector<float> got = scores.to_vector<float>();
      for (size_t i = 0; i < one.scores.size(); ++i)
        EXPECT_NEAR(got[397 * i], one.scores[i], 1e-4F * one.largest) << one.name << ' ' << i;
    }
  }
}

TEST(ResNet, has_the_parameter_names_and_the_size_of_torchvision) {
  ResNet model(ResNetConfig::resnet18());
  EXPECT_EQ(model.parameter_count(), 11'689'512);  // torchvision.models.resnet18
  std::vector<std::string> names;
  for (const auto& [name, slot] : model.named_parameters()) names.push_back(name);
  for (const auto& [name, slot] : model.named_buffers()) names.push_back(name);
  for (const char* name : {"conv1.weight", "bn1.running_var", "layer2.0.downsample.0.weight",
                           "layer4.1.bn2.bias", "fc.bias"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  EXPECT_EQ(ResNet(ResNetConfig::resnet50()).parameter_count(), 25'557'032);
}

}  // namespace
}  // namespace vitro::models
