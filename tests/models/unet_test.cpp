// U-Net with made-up weights, compared with the same network in torch. The expected numbers are
// what tests/models/values/unet.py prints.
#include "vitro/models/unet.h"

#include <gtest/gtest.h>

#include "made_up.h"

namespace vitro::models {
namespace {

TEST(UNet, has_the_scores_of_torch_eagerly_and_compiled) {
  UNet model({.widths = {64, 128, 256, 512}});
  fill(model);
  check("four levels", [&](const Tensor& x) { return model(x); }, made_up_images({2, 3, 48, 32}),
        {1.4825F,
         997,
         {-0.33996333F, -0.2877986F, 0.51176637F, 1.2004787F, -0.21005961F, 1.0564901F,
          0.62447713F}});
}

TEST(UNet, has_the_parameter_names_of_published_weights) {
  UNet model;
  check_names(model, {"inc.double_conv.0.weight", "inc.double_conv.4.running_var",
                      "down4.maxpool_conv.1.double_conv.3.weight", "up1.up.weight", "up1.up.bias",
                      "up4.conv.double_conv.1.bias", "outc.conv.weight", "outc.conv.bias"});
}

}  // namespace
}  // namespace vitro::models
