// The options of images, torchvision's presets, and what of a model's input matters for an image.
#include "image_input.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/images/file.h"
#include "vitro/images/functional.h"
#include "vitro/ops/concat.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"

namespace vitro::cli {
namespace {

// torchvision's, of the weights of these names.
struct Preset {
  const char *name, *size, *crop, *filter;
  std::array<double, 3> mean, deviation;
};
constexpr std::array imagenet_mean{0.485, 0.456, 0.406}, imagenet_deviation{0.229, 0.224, 0.225};
constexpr Preset presets[] = {
    {"imagenet", "256", "224", "bilinear", imagenet_mean, imagenet_deviation},
    {"imagenet-v2", "232", "224", "bilinear", imagenet_mean, imagenet_deviation},
};

// ---- options

template <class T>
T number_in(std::string_view text, const char* option) {
  T out{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  VITRO_CHECK(read.ec == std::errc() && read.ptr == text.data() + text.size(), option,
              ": needs a number, got ", text);
  return out;
}

images::ImageSize size_of(std::string_view text, const char* option) {
  const size_t x = text.find('x');
  images::ImageSize out = number_in<int64_t>(text.substr(0, x), option);
  if (x != text.npos) out.width = number_in<int64_t>(text.substr(x + 1), option);
  constexpr int64_t most = 1 << 16;
  VITRO_CHECK(out.height >= 1 && out.height <= most && out.width <= most &&
                  (x == text.npos || out.width >= 1),
              option, ": needs sizes of 1 to ", most, ", got ", text);
  return out;
}

// The options with those of the preset.
ImageOptions complete(ImageOptions options) {
  if (!options.preset.empty()) {
    const auto* found = std::ranges::find(presets, options.preset, &Preset::name);
    VITRO_CHECK(found != std::end(presets), "--image: there is no preset ", options.preset);
    if (options.size.empty()) options.size = found->size;
    if (options.crop.empty()) options.crop = found->crop;
    if (options.filter.empty()) options.filter = found->filter;
    if (options.mean.empty()) options.mean.assign(found->mean.begin(), found->mean.end());
    if (options.deviation.empty())
      options.deviation.assign(found->deviation.begin(), found->deviation.end());
  }
  return options;
}

Tensor transformed(Tensor image, const ImageOptions& options) {
  using images::InterpolationMode;
  if (!options.size.empty())
    image = images::resize(
        image, size_of(options.size, "--image-size"),
        options.filter == "bicubic" ? InterpolationMode::bicubic : InterpolationMode::bilinear);
  if (!options.crop.empty())
    image = images::center_crop(image, size_of(options.crop, "--image-crop"));
  return image;
}

// ---- tensors

// What of a model's input matters for an image.
struct Wanted {
  size_t first = 0;  // the dimension of the channels
  int channels = 3;
  std::optional<int64_t> height, width;
};

Wanted wanted_by(const ModelInput& input, const std::string& file) {
  const auto refuse = [&](const char* why) {
    throw_error(cat(file, ": input ", input.text(), " takes no image: ", why));
  };
  Wanted out;
  if (input.kind != ModelInput::Kind::tensor) refuse("it is not a tensor");
  if (is_complex(input.dtype) || is_bool(input.dtype)) refuse("needs numbers, f32 or u8");
  if (input.sizes.size() != 3 && input.sizes.size() != 4)
    refuse("needs the sizes [N, C, H, W] or [C, H, W]");
  out.first = input.sizes.size() - 3;
  const std::optional<int64_t> channels = input.sizes[out.first].number;
  if (channels && *channels != 1 && *channels != 3 && *channels != 4)
    refuse("needs 1 channel (grey), 3 (RGB) or 4 (RGBA)");
  out.channels = static_cast<int>(channels.value_or(3));
  out.height = input.sizes[out.first + 1].number;
  out.width = input.sizes[out.first + 2].number;
  return out;
}

// Images of one size as a batch of the input's dtype, normalised.
Tensor batch_of(const std::vector<Tensor>& all, const ModelInput& input,
                const ImageOptions& options) {
  const Tensor pixels = stack(all);
  if (!is_floating(input.dtype)) {
    VITRO_CHECK(options.mean.empty() && options.deviation.empty(), "input ", input.text(),
                ": takes pixels from 0 to 255, which --image-mean and --image-std do not fit");
    return to(pixels, input.dtype);
  }
  const auto channels = static_cast<size_t>(pixels.size(1).value());
  const auto numbers = [&](const std::vector<double>& given, double otherwise, const char* option) {
    VITRO_CHECK(given.size() <= 1 || given.size() == channels, option, ": needs ", channels,
                channels == 1 ? " number, one" : " numbers, one", " for each channel, got ",
                given.size());
    return given.empty() ? std::vector{otherwise} : given;
  };
  return to(images::normalize(images::convert_image_dtype(pixels),
                              numbers(options.mean, 0, "--image-mean"),
                              numbers(options.deviation, 1, "--image-std")),
            input.dtype);
}

}  // namespace

void add_image_options(CLI::App& app, ImageOptions& options) {
  std::vector<std::string> names;
  for (const Preset& one : presets) names.emplace_back(one.name);
  app.add_option("--image", options.preset,
                 "what torchvision does to images for weights of this kind: size, crop and "
                 "normalisation, as far as the options below do not say otherwise")
      ->check(CLI::IsMember(names));
  app.add_option("--image-size", options.size,
                 "resize images, antialiased: 256 for the shorter side, or 224x320 for height and "
                 "width");
  app.add_option("--image-filter", options.filter, "how to resize; bilinear if not given")
      ->check(CLI::IsMember({"bilinear", "bicubic"}));
  app.add_option("--image-crop", options.crop, "then take the centre, 224 or 224x320");
  app.add_option("--image-mean", options.mean, "subtract this from values between 0 and 1")
      ->delimiter(',');
  app.add_option("--image-std", options.deviation, "then divide by this")->delimiter(',');
}

Tensor image_tensor(const std::vector<std::string>& files, const ModelInput& input,
                    const ImageOptions& given) {
  const Wanted wanted = wanted_by(input, files.at(0));
  VITRO_CHECK(wanted.first == 1 || files.size() == 1, "input ", input.text(),
              ": takes one image, got ", files.size());
  const ImageOptions options = complete(given);
  std::vector<Tensor> all;
  for (const std::string& file : files) {
    all.push_back(transformed(images::read_image(file, wanted.channels).value(), options));
    const Size has_height = all.back().size(1), has_width = all.back().size(2);
    const int64_t height = wanted.height.value_or(all[0].size(1).value());
    const int64_t width = wanted.width.value_or(all[0].size(2).value());
    VITRO_CHECK(has_height == height && has_width == width, file, ": has ", has_height, " x ",
                has_width, " pixels (height x width), needs ", height, " x ", width,
                "; give --image-size ", height, 'x', width, " or --image-crop");
  }
  const Tensor batch = batch_of(all, input, options);
  return wanted.first == 1 ? batch : select(batch, 0, 0);
}

}  // namespace vitro::cli
