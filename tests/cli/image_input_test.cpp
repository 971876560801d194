// Images become inputs of a model as torchvision's transforms make them.
#include "image_input.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "vitro/base/cat.h"
#include "vitro/images/file.h"

namespace vitro::cli {
namespace {

const std::string folder = VITRO_TEST_DATA "/images/";

ModelInput input(std::vector<std::optional<int64_t>> sizes, DType dtype = DType::f32) {
  ModelInput out;
  out.name = out.path = std::string("x");
  out.dtype = dtype;
  for (const auto& one : sizes) {
    out.sizes.emplace_back();
    out.sizes.back().number = one;
    out.sizes.back().text = one ? cat(*one) : "s0";
  }
  return out;
}

TEST(ImageInput, is_normalised_and_has_the_dtype_and_the_layout_of_the_input) {
  const std::vector<std::string> file{folder + "rgb.png"};
  const std::vector<uint8_t> pixels = images::read_image(file[0]).value().to_vector<uint8_t>();
  const size_t n = pixels.size() / 3;
  const Tensor plain = image_tensor(file, input({{}, 3, {}, {}}), {});
  EXPECT_EQ(cat(plain.dtype(), plain.sizes()), "f32[1, 3, 22, 31]");
  const Tensor changed = image_tensor(file, input({1, 3, 22, 31}),
                                      {.mean = {0.5, 0.25, 0.125}, .deviation = {2, 0.5, 3}});
  for (size_t i = 0; i < n; ++i) {
    const float value = static_cast<float>(pixels[n + i]) / 255.0f;
    EXPECT_EQ(plain.to_vector<float>()[n + i], value);
    EXPECT_EQ(changed.to_vector<float>()[n + i], (value - 0.25f) / 0.5f);
  }
  const Tensor bytes = image_tensor(file, input({3, 22, 31}, DType::u8), {});
  EXPECT_EQ(cat(bytes.dtype(), bytes.sizes()), "u8[3, 22, 31]");
  EXPECT_EQ(bytes.to_vector<uint8_t>()[2 * n + 5], pixels[2 * n + 5]);
  const Tensor half = image_tensor(file, input({{}, 1, {}, {}}, DType::f16), {.mean = {0.5}});
  EXPECT_EQ(cat(half.dtype(), half.sizes()), "f16[1, 1, 22, 31]");
}

TEST(ImageInput, sizes_are_chosen_as_torchvision_does_it) {
  const std::vector<std::string> two{folder + "rgb.png", folder + "colour.jpg"};
  const auto sizes = [&](const ImageOptions& options) {
    return cat(image_tensor(two, input({{}, 3, {}, {}}), options).sizes());
  };
  EXPECT_EQ(sizes({.size = "16"}), "[2, 3, 16, 22]");  // int(16 * 31 / 22)
  EXPECT_EQ(sizes({.size = "16x10"}), "[2, 3, 16, 10]");
  EXPECT_EQ(sizes({.size = "16", .crop = "8"}), "[2, 3, 8, 8]");
  EXPECT_EQ(sizes({.preset = "imagenet"}), "[2, 3, 224, 224]");
  EXPECT_EQ(sizes({.preset = "imagenet", .crop = "8x9"}), "[2, 3, 8, 9]");
}

TEST(ImageInput, what_does_not_fit_is_an_error) {
  const auto error = [](const std::string& file, const ModelInput& in,
                        const ImageOptions& options = {}) {
    return error_of([&] { image_tensor({folder + file}, in, options); });
  };
  const ModelInput any = input({{}, 3, {}, {}});
  for (const auto& [message, part] : std::vector<std::pair<std::string, std::string>>{
           {error("rgb.png", input({2, 3})), "takes no image: needs the sizes [N, C, H, W]"},
           {error("rgb.png", input({1, 7, 22, 31})), "needs 1 channel (grey), 3 (RGB)"},
           {error("rgb.png", input({1, 3, 8, 9})), "--image-size 8x9"},
           {error("rgb.png", any, {.size = "0"}), "--image-size: needs sizes of 1 to"},
           {error("rgb.png", any, {.size = "8x"}), "--image-size: needs a number"},
           {error("rgb.png", any, {.size = "65536x65536"}), "which is more than"},
           {error("rgb.png", any, {.mean = {1, 2}}), "--image-mean: needs 3 numbers"},
           {error("rgb.png", input({3, 22, 31}, DType::u8), {.mean = {1}}), "from 0 to 255"},
           {error("README.md", any), "is neither PNG nor JPEG"},
           {error("none.png", any), "there is no such file"}})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

}  // namespace
}  // namespace vitro::cli
