// Changes of images, with the names and results of torchvision.transforms.functional.
//   Tensor small = images::resize(image, 256);              // the shorter side
//   Tensor part = images::center_crop(small, {224, 192});   // height, width
//   Tensor x = images::normalize(images::convert_image_dtype(part), {0.5}, {0.25});
// Images are [..., channels, height, width] on the CPU: one image, or a batch.  Results are new
// tensors.  u8 from 0 to 255 and floating point from 0 to 1 mean the same.  All functions may be
// called by several threads; errors begin with the name of the function.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::images {

// 224, or {224, 320}: height and width.  What one number means depends on the function.
struct ImageSize {
  int64_t height = 0, width = 0;           // width 0: one number was given
  ImageSize(int64_t one) : height(one) {}  // NOLINT(google-explicit-constructor)
  ImageSize(int one) : height(one) {}      // NOLINT(google-explicit-constructor)
  ImageSize(int64_t h, int64_t w) : height(h), width(w) {}
};

// nearest: PIL's, which is torch's "nearest-exact".
enum class InterpolationMode : uint8_t { nearest, bilinear, bicubic };

// With antialiasing.  Equal to PIL's Image.resize in every bit for u8 (Pillow 13 makes the vertical
// pass of high images first, which changes some values by one), to interpolate() of PyTorch for
// floating point.  One number is the length of the shorter side.
Tensor resize(const Tensor& image, ImageSize size,
              InterpolationMode interpolation = InterpolationMode::bilinear);

// ---- parts, and images with a border

// Pixels from (top, left) on; 0 where they lie outside the image.
Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width);
// 0 where the image is smaller.  One number is both sides.
Tensor center_crop(const Tensor& image, ImageSize size);
Tensor resized_crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width,
                    ImageSize size, InterpolationMode interpolation = InterpolationMode::bilinear);

// One number for all sides, two for left and right and for top and bottom, or left, top, right,
// bottom.  Negative ones take pixels away.
struct Padding {
  int64_t left = 0, top = 0, right = 0, bottom = 0;
  Padding() = default;
  Padding(int64_t all) : Padding(all, all) {}  // NOLINT(google-explicit-constructor)
  Padding(int all) : Padding(all, all) {}      // NOLINT(google-explicit-constructor)
  Padding(int64_t x, int64_t y) : Padding(x, y, x, y) {}
  Padding(int64_t l, int64_t t, int64_t r, int64_t b) : left(l), top(t), right(r), bottom(b) {}
  bool operator==(const Padding&) const = default;
};
// What a border shows: one value, the outermost pixels, or the image mirrored at its outermost
// pixels, without (reflect) or with them (symmetric).
enum class PaddingMode : uint8_t { constant, edge, reflect, symmetric };
Tensor pad(const Tensor& image, const Padding& padding, double fill = 0,
           PaddingMode padding_mode = PaddingMode::constant);

Tensor hflip(const Tensor& image);
Tensor vflip(const Tensor& image);
// A value for all channels, or one for each.
Tensor erase(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width,
             const std::vector<double>& value);

// ---- turned images

struct RotateOptions {
  InterpolationMode interpolation = InterpolationMode::nearest;  // or bilinear
  bool expand = false;  // makes the result as large as the turned image
  // (x, y) from the upper left corner; by default the middle.
  std::optional<std::array<double, 2>> center = {};
  double fill = 0;
};
// Counterclockwise, by an angle in degrees.
Tensor rotate(const Tensor& image, double angle, const RotateOptions& options = {});

// Turned clockwise, by degrees, scaled, sheared (degrees along x and y), then moved right and down.
struct AffineOptions {
  double angle = 0;
  std::array<double, 2> translate{0, 0};
  double scale = 1;
  std::array<double, 2> shear{0, 0};
  InterpolationMode interpolation = InterpolationMode::nearest;  // or bilinear
  std::optional<std::array<double, 2>> center = {};
  double fill = 0;
};
Tensor affine(const Tensor& image, const AffineOptions& options);

// ---- colours, of images with 1 or 3 channels

// 3 channels become 1, or 3 equal ones.
Tensor rgb_to_grayscale(const Tensor& image, int num_output_channels = 1);
// 0: black; 1: unchanged.
Tensor adjust_brightness(const Tensor& image, double brightness_factor);
// 0: the grey of its mean; 1: unchanged.
Tensor adjust_contrast(const Tensor& image, double contrast_factor);
// 0: without colours; 1: unchanged.
Tensor adjust_saturation(const Tensor& image, double saturation_factor);
// Moves hues around the circle of colours by a part of it, from -0.5 to 0.5.
Tensor adjust_hue(const Tensor& image, double hue_factor);

// ---- values

// u8 from 0 to 255 as floating point from 0 to 1, and back; the image itself if it has the dtype.
Tensor convert_image_dtype(const Tensor& image, DType dtype = DType::f32);
// (image - mean) / std: one number for all channels, or one for each.  Floating point only.
Tensor normalize(const Tensor& image, const std::vector<double>& mean,
                 const std::vector<double>& std);

}  // namespace vitro::images
