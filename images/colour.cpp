// Changes the values of pixels: colours, dtypes, parts that are erased.
#include <algorithm>
#include <array>
#include <cmath>

#include "planes.h"
#include "vitro/base/error.h"
#include "vitro/images/functional.h"
#include "vitro/ops/all.h"

namespace vitro::images {
namespace {

double most_of(DType dtype) {
  return is_floating(dtype) ? 1 : 255;
}

void check_pixels(const char* function, const Tensor& image) {
  VITRO_CHECK(image.rank() >= 3, function, ": needs an image [..., channels, height, width], got ",
              image.dtype(), image.sizes());
  VITRO_CHECK(image.dtype() == DType::u8 || is_floating(image.dtype()), function,
              ": needs u8 or floating point, got ", image.dtype());
}

void check_colours(const char* function, const Tensor& image) {
  check_pixels(function, image);
  const int64_t channels = channels_of(image);
  VITRO_CHECK(channels == 1 || channels == 3, function, ": needs 1 or 3 channels, got ",
              image.dtype(), image.sizes());
}

void check_factor(const char* function, double factor) {
  VITRO_CHECK(factor >= 0, function, ": needs a factor of 0 or more, got ", factor);
}

// `factor` of the image, the rest of the other.
Tensor mixed(const Tensor& image, const Tensor& other, double factor) {
  const Tensor sum = image * factor + other * (1.0 - factor);
  return to(clamp(sum, 0.0, most_of(image.dtype())), image.dtype());
}

// Numbers for each channel, [n, 1, 1].
Tensor of_channels(const char* function, const char* what, const std::vector<double>& numbers,
                   const Tensor& image) {
  const int64_t channels = channels_of(image);
  VITRO_CHECK(numbers.size() == 1 || static_cast<int64_t>(numbers.size()) == channels, function,
              ": needs 1 or ", channels, " numbers for ", what, ", one for each channel, got ",
              numbers.size());
  return to(Tensor::from(numbers, {static_cast<int64_t>(numbers.size()), 1, 1}), image.dtype());
}

using Colour = std::array<float, 3>;  // red, green, blue

// The colour with another hue: by way of hue, saturation and value, all from 0 to 1.
Colour with_hue(const Colour& rgb, float by) {
  const float most = std::max({rgb[0], rgb[1], rgb[2]}), least = std::min({rgb[0], rgb[1], rgb[2]});
  if (most == least) return rgb;
  const float spread = most - least, saturation = spread / most;
  Colour below;
  for (size_t c = 0; c < 3; ++c) below[c] = (most - rgb[c]) / spread;
  float hue = most == rgb[0]   ? below[2] - below[1]
              : most == rgb[1] ? 2.0f + below[0] - below[2]
                               : 4.0f + below[1] - below[0];
  hue = std::fmod(hue / 6.0f + 1.0f, 1.0f) + by;
  hue -= std::floor(hue);
  const float sixths = hue * 6.0f, sector = std::floor(sixths), within = sixths - sector;
  const auto value = [&](float part) {
    return std::clamp(most * (1.0f - saturation * part), 0.0f, 1.0f);
  };
  const float low = value(1.0f), falling = value(within), rising = value(1.0f - within);
  switch (static_cast<int>(sector)) {
    case 1:
      return {falling, most, low};
    case 2:
      return {low, most, rising};
    case 3:
      return {low, falling, most};
    case 4:
      return {rising, low, most};
    case 5:
      return {most, low, falling};
    default:
      return {most, rising, low};  // 6 is 0 again
  }
}

}  // namespace

Tensor rgb_to_grayscale(const Tensor& image, int num_output_channels) {
  check_colours("rgb_to_grayscale", image);
  VITRO_CHECK(num_output_channels == 1 || num_output_channels == 3,
              "rgb_to_grayscale: makes 1 or 3 channels, got ", num_output_channels);
  const auto channel = [&](int64_t i) { return slice(image, -3, i, i + 1); };
  const Tensor grey =
      channels_of(image) == 1
          ? clone(image)
          : to(channel(0) * 0.2989 + channel(1) * 0.587 + channel(2) * 0.114, image.dtype());
  return num_output_channels == 1 ? grey : vitro::cat({grey, grey, grey}, -3);
}

Tensor adjust_brightness(const Tensor& image, double brightness_factor) {
  check_colours("adjust_brightness", image);
  check_factor("adjust_brightness", brightness_factor);
  return to(clamp(image * brightness_factor, 0.0, most_of(image.dtype())), image.dtype());
}

Tensor adjust_contrast(const Tensor& image, double contrast_factor) {
  check_colours("adjust_contrast", image);
  check_factor("adjust_contrast", contrast_factor);
  const DType dtype = is_floating(image.dtype()) ? image.dtype() : DType::f32;
  const Tensor grey = to(rgb_to_grayscale(image), dtype);
  return mixed(image, mean(grey, {-3, -2, -1}, true), contrast_factor);
}

Tensor adjust_saturation(const Tensor& image, double saturation_factor) {
  check_colours("adjust_saturation", image);
  check_factor("adjust_saturation", saturation_factor);
  if (channels_of(image) == 1) return clone(image);
  return mixed(image, rgb_to_grayscale(image), saturation_factor);
}

Tensor adjust_hue(const Tensor& image, double hue_factor) {
  check_colours("adjust_hue", image);
  VITRO_CHECK(hue_factor >= -0.5 && hue_factor <= 0.5, "adjust_hue: needs -0.5 to 0.5, got ",
              hue_factor);
  if (channels_of(image) == 1) return clone(image);
  const bool is_single = image.dtype() == DType::f32;
  const Planes planes =
      planes_of("adjust_hue", is_single ? clone(image) : convert_image_dtype(image, DType::f32));
  const int64_t size = planes.height * planes.width;
  float* one = planes.image.data<float>();
  for (int64_t i = 0; i < planes.count / 3; ++i, one += 3 * size) {
    for (int64_t at = 0; at < size; ++at) {
      const Colour turned =
          with_hue({one[at], one[size + at], one[2 * size + at]}, static_cast<float>(hue_factor));
      for (int64_t c = 0; c < 3; ++c) one[c * size + at] = turned[static_cast<size_t>(c)];
    }
  }
  return convert_image_dtype(planes.image, image.dtype());
}

Tensor convert_image_dtype(const Tensor& image, DType dtype) {
  VITRO_CHECK((image.dtype() == DType::u8 || is_floating(image.dtype())) &&
                  (dtype == DType::u8 || is_floating(dtype)),
              "convert_image_dtype: converts between u8 and floating point, got ", image.dtype(),
              " and ", dtype);
  if (image.dtype() == dtype) return image;
  if (image.dtype() == DType::u8) return to(image, dtype) / 255.0;
  // A little less than 256, so that each of the 256 values stands for an equal part.
  return dtype == DType::u8 ? to(image * (256.0 - 1e-3), dtype) : to(image, dtype);
}

Tensor normalize(const Tensor& image, const std::vector<double>& mean,
                 const std::vector<double>& std) {
  VITRO_CHECK(image.rank() >= 3 && is_floating(image.dtype()),
              "normalize: needs floating point [..., channels, height, width], got ", image.dtype(),
              image.sizes(), "; convert_image_dtype() makes it of u8");
  const Tensor by = of_channels("normalize", "std", std, image);
  VITRO_CHECK(std::ranges::none_of(std, [](double one) { return one == 0; }),
              "normalize: needs numbers other than 0 for std");
  return (image - of_channels("normalize", "mean", mean, image)) / by;
}

Tensor erase(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width,
             const std::vector<double>& value) {
  check_pixels("erase", image);
  VITRO_CHECK(top >= 0 && left >= 0 && height >= 0 && width >= 0 &&
                  height <= image.size(-2).value() - top && width <= image.size(-1).value() - left,
              "erase: a part of ", height, " x ", width, " at (", top, ", ", left,
              ") lies outside ", image.sizes());
  const Tensor out = clone(image);
  const Tensor part = slice(slice(out, -2, top, top + height), -1, left, left + width);
  copy_(part, of_channels("erase", "value", value, image));
  return out;
}

}  // namespace vitro::images
