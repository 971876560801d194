// Transforms images as torchvision's presets do, with PIL's arithmetic: weights of 22 bits, and 8
// bits between the horizontal and the vertical pass.
#include "image_input.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
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

// ---- resize

// The pixels of the operand that one pixel of the result is made of, and their weights.
struct Taps {
  int64_t first = 0;
  std::vector<int32_t> weights;
};

constexpr int weight_bits = 22;

double bilinear(double x) {
  return std::max(0.0, 1.0 - std::abs(x));
}
double bicubic(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

// For each of `to` pixels made of `from`.
std::vector<Taps> taps_of(int64_t from, int64_t to, bool is_bicubic) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double widened = std::max(scale, 1.0);
  const double support = (is_bicubic ? 2.0 : 1.0) * widened;
  std::vector<Taps> out(static_cast<size_t>(to));
  std::vector<double> weights;
  for (int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(centre - support + 0.5), 0);
    const auto end = std::min<int64_t>(static_cast<int64_t>(centre + support + 0.5), from);
    weights.clear();
    double sum = 0;
    for (int64_t x = first; x < end; ++x) {
      const double at = (static_cast<double>(x) - centre + 0.5) * (1.0 / widened);
      weights.push_back(is_bicubic ? bicubic(at) : bilinear(at));
      sum += weights.back();
    }
    Taps& taps = out[static_cast<size_t>(i)];
    taps.first = first;
    for (const double w : weights) {
      const double scaled = (sum != 0 ? w / sum : w) * (1 << weight_bits);
      taps.weights.push_back(static_cast<int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5)));
    }
  }
  return out;
}

// One pixel of the result, of pixels that are `step` apart.
uint8_t combined(const uint8_t* from, size_t step, const std::vector<int32_t>& weights) {
  int64_t sum = 1 << (weight_bits - 1);
  for (const int32_t weight : weights) {
    sum += int64_t{*from} * weight;
    from += step;
  }
  return static_cast<uint8_t>(std::clamp<int64_t>(sum >> weight_bits, 0, 255));
}

Image with_width(const Image& image, int64_t width, bool is_bicubic) {
  const auto channels = static_cast<size_t>(image.channels);
  const std::vector<Taps> taps = taps_of(image.width, width, is_bicubic);
  Image out{image.height, width, image.channels, {}};
  out.pixels.resize(static_cast<size_t>(image.height * width) * channels);
  uint8_t* into = out.pixels.data();
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t* row = image.pixels.data() + static_cast<size_t>(y * image.width) * channels;
    for (const Taps& one : taps)
      for (size_t c = 0; c < channels; ++c)
        *into++ =
            combined(row + static_cast<size_t>(one.first) * channels + c, channels, one.weights);
  }
  return out;
}

Image with_height(const Image& image, int64_t height, bool is_bicubic) {
  const size_t row = static_cast<size_t>(image.width * image.channels);
  const std::vector<Taps> taps = taps_of(image.height, height, is_bicubic);
  Image out{height, image.width, image.channels, {}};
  out.pixels.resize(static_cast<size_t>(height) * row);
  uint8_t* into = out.pixels.data();
  for (const Taps& one : taps)
    for (size_t x = 0; x < row; ++x)
      *into++ = combined(image.pixels.data() + static_cast<size_t>(one.first) * row + x, row,
                         one.weights);
  return out;
}

// ---- options

template <class T>
T number_in(std::string_view text, const char* option) {
  T out{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  VITRO_CHECK(read.ec == std::errc() && read.ptr == text.data() + text.size(), option,
              ": needs a number, got ", text);
  return out;
}

struct Extent {
  int64_t height = 0, width = 0;  // width 0: `height` is that of the shorter side
};

Extent extent_of(std::string_view text, const char* option) {
  const size_t x = text.find('x');
  Extent out{number_in<int64_t>(text.substr(0, x), option), 0};
  if (x != text.npos) out.width = number_in<int64_t>(text.substr(x + 1), option);
  constexpr int64_t most = 1 << 16;
  VITRO_CHECK(out.height >= 1 && out.height <= most && out.width <= most &&
                  (x == text.npos || out.width >= 1),
              option, ": needs sizes of 1 to ", most, ", got ", text);
  return out;
}

// Of the whole image, if that of the shorter side is given.
Extent whole(Extent wanted, const Image& image, const char* option) {
  if (wanted.width == 0) {
    const auto shorter = static_cast<double>(wanted.height);
    const bool is_high = image.width <= image.height;
    const auto longer =
        static_cast<int64_t>(shorter * static_cast<double>(is_high ? image.height : image.width) /
                             static_cast<double>(is_high ? image.width : image.height));
    wanted = is_high ? Extent{longer, wanted.height} : Extent{wanted.height, longer};
  }
  VITRO_CHECK(wanted.width <= largest_image / wanted.height, option, ": makes ", wanted.height,
              " x ", wanted.width, " pixels, which is more than ", largest_image);
  return wanted;
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

Image transformed(Image image, const ImageOptions& options) {
  if (!options.size.empty()) {
    const Extent to = whole(extent_of(options.size, "--image-size"), image, "--image-size");
    image = resized(image, to.height, to.width, options.filter == "bicubic");
  }
  if (!options.crop.empty()) {
    Extent to = extent_of(options.crop, "--image-crop");
    if (to.width == 0) to.width = to.height;
    (void)whole(to, image, "--image-crop");
    image = centre_of(image, to.height, to.width);
  }
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

double of_channel(const std::vector<double>& values, size_t channel, double otherwise) {
  if (values.empty()) return otherwise;
  return values.size() == 1 ? values[0] : values[channel];
}

// Planes of one channel each, normalised.
void append_planes(const Image& image, const ImageOptions& options, std::vector<float>& out) {
  const auto channels = static_cast<size_t>(image.channels);
  for (const auto& [values, option] :
       {std::pair(&options.mean, "--image-mean"), std::pair(&options.deviation, "--image-std")})
    VITRO_CHECK(values->size() <= 1 || values->size() == channels, option, ": needs ", channels,
                channels == 1 ? " number, one" : " numbers, one", " for each channel, got ",
                values->size());
  for (size_t c = 0; c < channels; ++c) {
    const auto mean = static_cast<float>(of_channel(options.mean, c, 0));
    const auto deviation = static_cast<float>(of_channel(options.deviation, c, 1));
    for (size_t i = c; i < image.pixels.size(); i += channels)
      out.push_back((static_cast<float>(image.pixels[i]) / 255.0f - mean) / deviation);
  }
}

Tensor tensor_of(const std::vector<Image>& images, const ModelInput& input,
                 const ImageOptions& options) {
  const Image& first = images.front();
  const std::vector<int64_t> sizes{static_cast<int64_t>(images.size()), first.channels,
                                   first.height, first.width};
  if (is_floating(input.dtype)) {
    std::vector<float> values;
    values.reserve(images.size() * first.pixels.size());
    for (const Image& one : images) append_planes(one, options, values);
    return to(Tensor::from(std::span<const float>(values), sizes), input.dtype);
  }
  VITRO_CHECK(options.mean.empty() && options.deviation.empty(), "input ", input.text(),
              ": takes pixels from 0 to 255, which --image-mean and --image-std do not fit");
  std::vector<uint8_t> values;
  values.reserve(images.size() * first.pixels.size());
  for (const Image& one : images)
    for (int64_t c = 0; c < one.channels; ++c)
      for (size_t i = static_cast<size_t>(c); i < one.pixels.size();
           i += static_cast<size_t>(one.channels))
        values.push_back(one.pixels[i]);
  return to(Tensor::from(std::span<const uint8_t>(values), sizes), input.dtype);
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

Image resized(const Image& image, int64_t height, int64_t width, bool is_bicubic) {
  Image out = width == image.width ? image : with_width(image, width, is_bicubic);
  return height == image.height ? out : with_height(out, height, is_bicubic);
}

Image centre_of(const Image& image, int64_t height, int64_t width) {
  // Where the result begins in the image; negative: that many black pixels come first.
  const auto begin = [](int64_t has, int64_t wants) {
    if (wants > has) return -((wants - has) / 2);
    return static_cast<int64_t>(std::nearbyint(static_cast<double>(has - wants) / 2));
  };
  const int64_t top = begin(image.height, height), left = begin(image.width, width);
  Image out{height, width, image.channels, {}};
  out.pixels.resize(static_cast<size_t>(height * width * image.channels));
  const int64_t from = std::max<int64_t>(left, 0), end = std::min(left + width, image.width);
  for (int64_t y = 0; y < height; ++y) {
    if (top + y < 0 || top + y >= image.height) continue;
    std::copy_n(image.pixels.begin() + ((top + y) * image.width + from) * image.channels,
                (end - from) * image.channels,
                out.pixels.begin() + (y * width + from - left) * image.channels);
  }
  return out;
}

Tensor image_tensor(const std::vector<std::string>& files, const ModelInput& input,
                    const ImageOptions& given) {
  const Wanted wanted = wanted_by(input, files.at(0));
  VITRO_CHECK(wanted.first == 1 || files.size() == 1, "input ", input.text(),
              ": takes one image, got ", files.size());
  const ImageOptions options = complete(given);
  std::vector<Image> images;
  for (const std::string& file : files) {
    images.push_back(transformed(read_image(file, wanted.channels).value(), options));
    const Image& one = images.back();
    const int64_t height = wanted.height.value_or(images[0].height);
    const int64_t width = wanted.width.value_or(images[0].width);
    VITRO_CHECK(one.height == height && one.width == width, file, ": has ", one.height, " x ",
                one.width, " pixels (height x width), needs ", height, " x ", width,
                "; give --image-size ", height, 'x', width, " or --image-crop");
  }
  const Tensor batch = tensor_of(images, input, options);
  return wanted.first == 1 ? batch : select(batch, 0, 0);
}

}  // namespace vitro::cli
