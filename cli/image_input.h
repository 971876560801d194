// Images as inputs of a model: resized, cropped and normalised as torchvision's transforms do it.
#pragma once

#include <string>
#include <vector>

#include "vitro/exported/model.h"

namespace CLI {
class App;
}

namespace vitro::cli {

// What is done to each image, in this order.  Empty: not done.
struct ImageOptions {
  std::string preset = {};  // sets what the others leave empty
  std::string size = {};    // "256": of the shorter side; "224x320": height and width
  std::string filter = {};  // "bilinear", "bicubic"
  std::string crop = {};    // "224", "224x320": of the centre
  std::vector<double> mean = {}, deviation = {};  // of values from 0 to 1, for each channel
};
// --image and the others.
void add_image_options(CLI::App& app, ImageOptions& options);

// The images of these files as [N, C, H, W], or one of them as [C, H, W], whichever the input is:
// of floating point from 0 to 1, or as normalised, of u8 from 0 to 255.  Error: the input does not
// take images, or images of another size.
Tensor image_tensor(const std::vector<std::string>& files, const ModelInput& input,
                    const ImageOptions& options);

}  // namespace vitro::cli
