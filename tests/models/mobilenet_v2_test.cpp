// MobileNetV2 with made-up weights, compared with the same network in torch. The expected numbers
// are what tests/models/values/mobilenet_v2.py prints.
#include "vitro/models/mobilenet_v2.h"

#include <gtest/gtest.h>

#include "made_up.h"

namespace vitro::models {
namespace {

TEST(MobileNetV2, has_the_scores_of_torch_eagerly_and_compiled) {
  MobileNetV2 model;
  fill(model);
  check("mobilenet_v2", [&](const Tensor& x) { return model(x); }, made_up_images({2, 3, 96, 64}),
        {7.0007F, 397, {5.3934242F, 2.8345387F, -4.6940956F, 5.6065527F, 4.6459121F, -1.7251619F}});
}

TEST(MobileNetV2, has_the_parameter_names_and_the_size_of_torchvision) {
  MobileNetV2 model;
  EXPECT_EQ(model.parameter_count(), 3'504'872);  // torchvision.models.mobilenet_v2
  check_names(
      model,
      {"features.0.0.weight", "features.0.1.running_mean", "features.1.conv.0.0.weight",
       "features.1.conv.0.1.weight", "features.1.conv.1.weight", "features.1.conv.2.running_var",
       "features.2.conv.0.0.weight", "features.2.conv.1.0.weight", "features.2.conv.1.1.bias",
       "features.17.conv.2.weight", "features.17.conv.3.bias", "features.18.0.weight",
       "features.18.1.bias", "classifier.1.weight", "classifier.1.bias"});
}

}  // namespace
}  // namespace vitro::models
