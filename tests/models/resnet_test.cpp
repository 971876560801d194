// ResNet and ResNeXt with made-up weights, compared with the same networks in torch. The expected
// numbers are what tests/models/values/resnet.py prints.
#include "vitro/models/resnet.h"

#include <gtest/gtest.h>

#include "made_up.h"

namespace vitro::models {
namespace {

void check_scores(std::string_view name, const ResNetConfig& config, const Tensor& images,
                  const Expected& expected) {
  ResNet model(config);
  fill(model);
  check(name, [&](const Tensor& x) { return model(x); }, images, expected);
}

TEST(ResNet, has_the_scores_of_torch_eagerly_and_compiled) {
  check_scores(
      "resnet18", ResNetConfig::resnet18(), made_up_images({2, 3, 64, 48}),
      {28.346F, 397, {3.1578048F, -2.5701515F, -4.5531025F, 22.275602F, 22.389948F, 14.074412F}});
  check_scores("resnet50", ResNetConfig::resnet50(), made_up_images({1, 3, 64, 64}),
               {8749.6F, 397, {4583.8156F, 1562.2377F, -3238.7805F}});
  check_scores("resnext", {{1, 2, 1, 1}, true, 32, 8}, made_up_images({5, 3, 7, 7}),
               {731.55F, 1097, {342.45978F, 72.807914F, 331.44776F, -154.06626F, -331.9441F}});
}

TEST(ResNet, has_the_parameter_names_and_the_size_of_torchvision) {
  ResNet model(ResNetConfig::resnet18());
  EXPECT_EQ(model.parameter_count(), 11'689'512);  // torchvision.models.resnet18
  check_names(model, {"conv1.weight", "bn1.running_var", "layer2.0.downsample.0.weight",
                      "layer4.1.bn2.bias", "fc.bias"});
  EXPECT_EQ(ResNet(ResNetConfig::resnet50()).parameter_count(), 25'557'032);
}

}  // namespace
}  // namespace vitro::models
