// Images are read, resized and cropped as PIL does it, bit for bit, and made tensors as torchvision
// does it; damaged files are refused.
#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "damaged.h"
#include "error_of.h"
#include "image_input.h"
#include "vitro/base/cat.h"
#include "vitro/io/npy.h"

namespace vitro::cli {
namespace {

namespace fs = std::filesystem;

const std::string folder = VITRO_TEST_DATA "/images/";

const std::vector<io::NamedTensor>& expected() {
  static const std::vector<io::NamedTensor> all = io::read_npz(folder + "expected.npz").value();
  return all;
}

Image read(const std::string& name, int channels = 3) {
  return read_image(folder + name, channels).value();
}

void expect_same(const Image& got, const Tensor& wanted, const std::string& what) {
  EXPECT_EQ(got.height, wanted.sizes()[0].value()) << what;
  EXPECT_EQ(got.width, wanted.sizes()[1].value()) << what;
  EXPECT_EQ(got.pixels, wanted.to_vector<uint8_t>()) << what;
}

// The numbers of "8x11".
std::pair<int64_t, int64_t> extent(std::string_view text) {
  int64_t height = 0, width = 0;
  const size_t x = text.find('x');
  std::from_chars(text.data(), text.data() + x, height);
  std::from_chars(text.data() + x + 1, text.data() + text.size(), width);
  return {height, width};
}

TEST(Image, files_have_the_pixels_that_pil_reads) {
  size_t files = 0;
  for (const auto& [name, wanted] : expected()) {
    const size_t dot = name.find('.');
    std::string file = name.substr(0, dot);
    const std::string kind = name.substr(dot + 1);
    if (kind != "rgb" && kind != "grey") continue;
    file =
        file.ends_with("_jpg") ? cat(file.substr(0, file.size() - 4), ".jpg") : cat(file, ".png");
    expect_same(read(file, kind == "rgb" ? 3 : 1), wanted, name);
    ++files;
  }
  EXPECT_GT(files, 10U);
  EXPECT_EQ(read("interlaced.png").pixels, read("rgb.png").pixels);
}

TEST(Image, alpha_is_kept_if_it_is_asked_for) {
  const Image rgb = read("rgba.png"), rgba = read("rgba.png", 4), opaque = read("rgb.png", 4);
  for (size_t i = 0; i < rgb.pixels.size() / 3; ++i) {
    EXPECT_EQ(rgba.pixels[4 * i + 1], rgb.pixels[3 * i + 1]);
    EXPECT_EQ(rgba.pixels[4 * i + 3], 0xff ^ rgb.pixels[3 * i]);
    EXPECT_EQ(opaque.pixels[4 * i + 3], 0xff);
  }
}

TEST(Image, is_resized_and_cropped_as_pil_does_it) {
  const Image image = read("rgb.png");
  size_t found = 0;
  for (const auto& [name, wanted] : expected()) {
    const auto [height, width] = extent(std::string_view(name).substr(name.rfind('.') + 1));
    if (name.starts_with("resize."))
      expect_same(resized(image, height, width, name.find("bicubic") != name.npos), wanted, name);
    else if (name.starts_with("crop."))
      expect_same(centre_of(image, height, width), wanted, name);
    else
      continue;
    ++found;
  }
  EXPECT_EQ(found, 15U);
}

ModelInput input(std::vector<std::optional<int64_t>> sizes, DType dtype = DType::f32) {
  ModelInput out;
  out.name = out.path = "x";
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
  const Image image = read("rgb.png");
  const auto n = static_cast<size_t>(image.height * image.width);
  const Tensor plain = image_tensor(file, input({{}, 3, {}, {}}), {});
  EXPECT_EQ(cat(plain.dtype(), plain.sizes()), "f32[1, 3, 22, 31]");
  const Tensor changed = image_tensor(file, input({1, 3, 22, 31}),
                                      {.mean = {0.5, 0.25, 0.125}, .deviation = {2, 0.5, 3}});
  for (size_t i = 0; i < n; ++i) {
    const float value = static_cast<float>(image.pixels[3 * i + 1]) / 255.0f;
    EXPECT_EQ(plain.to_vector<float>()[n + i], value);
    EXPECT_EQ(changed.to_vector<float>()[n + i], (value - 0.25f) / 0.5f);
  }
  const Tensor bytes = image_tensor(file, input({3, 22, 31}, DType::u8), {});
  EXPECT_EQ(cat(bytes.dtype(), bytes.sizes()), "u8[3, 22, 31]");
  EXPECT_EQ(bytes.to_vector<uint8_t>()[2 * n + 5], image.pixels[3 * 5 + 2]);
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
           {error("cmyk.jpg", any), "convert it to RGB"},
           {error("README.md", any), "is neither PNG nor JPEG"},
           {error("none.png", any), "there is no such file"}})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

// A header that promises 2^38 pixels.
TEST(Image, sizes_are_limited_before_memory_is_allocated) {
  std::ifstream file(folder + "rgb.png", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const char header[] = "\x00\x08\x00\x00\x00\x08\x00\x00\x08\x02\x00\x00\x00\x61\x00\x86\x0e";
  bytes.replace(16, sizeof header - 1, header, sizeof header - 1);
  const Result<Image> found = decode_image(bytes, "x.png", 3);
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.why().starts_with("x.png: PNG: has 524288 x 524288 pixels")) << found.why();
}

TEST(Image, damaged_files_are_refused_or_whole) {
  std::mt19937 random(7);
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!is_image(entry.path().string())) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (int i = 0; i < 300; ++i) {
      const Result<Image> found = decode_image(damaged(bytes, random), "x", 1 + 2 * (i % 2));
      if (!found) continue;
      EXPECT_EQ(found->pixels.size(),
                static_cast<size_t>(found->height * found->width * found->channels));
    }
    for (size_t size = 0; size < bytes.size(); size += 7)
      EXPECT_FALSE(decode_image(bytes.substr(0, size), "x", 3)) << entry.path() << " " << size;
  }
}

}  // namespace
}  // namespace vitro::cli
