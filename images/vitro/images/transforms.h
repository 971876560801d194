// Augmentations, with the names, options and defaults of torchvision.transforms.
//   images::Compose train{images::RandomResizedCrop(224), images::RandomHorizontalFlip(),
//                         images::ConvertImageDtype(),
//                         images::Normalize({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225})};
//   Tensor x = train(image, random);                         // of an image
//   data::Mapped augmented(dataset, train);                  // of field 0 of each sample
//   images::ImageFolder folder("train", {.transform = train});
// A transform is a value that maps an image to another one (vitro/images/functional.h).  Random
// ones draw as torchvision does, from the numbers that the loader gives to each sample: a run
// repeats with any number of workers.  Calls of one transform by several threads are fine.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "vitro/datasets/dataset.h"
#include "vitro/images/functional.h"

namespace vitro::images {

// Any of the transforms below, or a function of an image, or of an image and the random numbers.
class Transform {
 public:
  template <class F>
    requires(!std::is_same_v<F, Transform> &&
             (std::is_invocable_r_v<Tensor, const F&, const Tensor&, data::Random&> ||
              std::is_invocable_r_v<Tensor, const F&, const Tensor&>))
  Transform(F change) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_invocable_v<const F&, const Tensor&, data::Random&>)
      change_ = std::move(change);
    else
      change_ = [change = std::move(change)](const Tensor& image, data::Random&) {
        return change(image);
      };
  }
  Tensor operator()(const Tensor& image, data::Random& random) const {
    return change_(image, random);
  }

 private:
  std::function<Tensor(const Tensor& image, data::Random& random)> change_;
};

// One after the other.
class Compose {
 public:
  Compose(std::initializer_list<Transform> transforms) : transforms_(transforms) {}
  explicit Compose(std::vector<Transform> transforms) : transforms_(std::move(transforms)) {}
  Tensor operator()(const Tensor& image, data::Random& random) const;
  // Changes field 0, and keeps the others.
  data::Sample operator()(data::Sample sample, data::Random& random) const;

 private:
  std::vector<Transform> transforms_;
};

// A transform with this probability.
struct RandomApply {
  explicit RandomApply(Transform transform, double p = 0.5)
      : RandomApply("RandomApply", std::move(transform), p) {}
  Tensor operator()(const Tensor& image, data::Random& random) const;
  Transform transform;
  double p;

 protected:
  // `name` begins messages.
  RandomApply(const char* name, Transform transform, double p);
};

// ---- sizes and parts

// One number is the length of the shorter side.
struct Resize {
  explicit Resize(ImageSize s, InterpolationMode i = InterpolationMode::bilinear)
      : size(s), interpolation(i) {}
  Tensor operator()(const Tensor& image) const { return resize(image, size, interpolation); }
  ImageSize size;
  InterpolationMode interpolation;
};

// Sizes of the others: one number is both sides.
struct CenterCrop {
  explicit CenterCrop(ImageSize s) : size(s) {}
  Tensor operator()(const Tensor& image) const { return center_crop(image, size); }
  ImageSize size;
};

struct Pad {
  explicit Pad(Padding p, double f = 0, PaddingMode mode = PaddingMode::constant)
      : padding(p), fill(f), padding_mode(mode) {}
  Tensor operator()(const Tensor& image) const { return pad(image, padding, fill, padding_mode); }
  Padding padding;
  double fill;
  PaddingMode padding_mode;
};

struct RandomCropOptions {
  Padding padding = {};
  bool pad_if_needed = false;  // on both sides of an image that is smaller
  double fill = 0;
  PaddingMode padding_mode = PaddingMode::constant;
};
// A part at any place.  Error if the image is smaller.
struct RandomCrop {
  explicit RandomCrop(ImageSize size, RandomCropOptions options = {});
  Tensor operator()(const Tensor& image, data::Random& random) const;
  ImageSize size;
  RandomCropOptions options;
};

// From least to most.
using Range = std::array<double, 2>;

struct RandomResizedCropOptions {
  Range scale{0.08, 1.0};             // of the area of the image
  Range ratio{3.0 / 4.0, 4.0 / 3.0};  // width to height, drawn on a logarithmic scale
  InterpolationMode interpolation = InterpolationMode::bilinear;
};
// A part of any area and ratio, resized.
struct RandomResizedCrop {
  explicit RandomResizedCrop(ImageSize size, RandomResizedCropOptions options = {});
  Tensor operator()(const Tensor& image, data::Random& random) const;
  ImageSize size;
  RandomResizedCropOptions options;
};

struct RandomHorizontalFlip : RandomApply {
  explicit RandomHorizontalFlip(double p = 0.5);
};
struct RandomVerticalFlip : RandomApply {
  explicit RandomVerticalFlip(double p = 0.5);
};

struct RandomErasingOptions {
  double p = 0.5;
  Range scale{0.02, 0.33};       // of the area of the image
  Range ratio{0.3, 3.3};         // height to width
  std::vector<double> value{0};  // for all channels, or for each; empty: normal random numbers
};
// A part of any area and ratio, overwritten.
struct RandomErasing {
  explicit RandomErasing(RandomErasingOptions options = {});
  Tensor operator()(const Tensor& image, data::Random& random) const;
  RandomErasingOptions options;
};

// ---- turned images

// 30 is from -30 to 30.
struct Spread : Range {
  Spread(double one) : Range{-one, one} {}  // NOLINT(google-explicit-constructor)
  Spread(double least, double most) : Range{least, most} {}
};

// By an angle in degrees.
struct RandomRotation {
  explicit RandomRotation(Spread degrees, RotateOptions options = {});
  Tensor operator()(const Tensor& image, data::Random& random) const;
  Spread degrees;
  RotateOptions options;
};

struct RandomAffineOptions {
  std::array<double, 2> translate{0, 0};  // at most these parts of width and height
  Range scale{1, 1};
  Spread shear_x = 0, shear_y = 0;  // in degrees
  InterpolationMode interpolation = InterpolationMode::nearest;
  std::optional<std::array<double, 2>> center = {};
  double fill = 0;
};
struct RandomAffine {
  explicit RandomAffine(Spread degrees, RandomAffineOptions options = {});
  Tensor operator()(const Tensor& image, data::Random& random) const;
  Spread degrees;
  RandomAffineOptions options;
};

// ---- colours

// 0.4 is from 0.6 to 1.4; never below 0.
struct Factor : Range {
  Factor(double one)  // NOLINT(google-explicit-constructor)
      : Range{one < 1 ? 1 - one : 0, 1 + one} {}
  Factor(double least, double most) : Range{least, most} {}
};
struct ColorJitterOptions {
  Factor brightness = 0, contrast = 0, saturation = 0;
  Spread hue = 0;  // within -0.5 to 0.5
};
// Changes brightness, contrast, saturation and hue, in any order.
struct ColorJitter {
  explicit ColorJitter(ColorJitterOptions options);
  Tensor operator()(const Tensor& image, data::Random& random) const;
  ColorJitterOptions options;
};

struct Grayscale {
  explicit Grayscale(int channels = 1) : num_output_channels(channels) {}
  Tensor operator()(const Tensor& image) const {
    return rgb_to_grayscale(image, num_output_channels);
  }
  int num_output_channels;
};
// With as many channels as the image has.
struct RandomGrayscale : RandomApply {
  explicit RandomGrayscale(double p = 0.1);
};

// ---- values

struct ConvertImageDtype {
  explicit ConvertImageDtype(DType d = DType::f32) : dtype(d) {}
  Tensor operator()(const Tensor& image) const { return convert_image_dtype(image, dtype); }
  DType dtype;
};
struct Normalize {
  Normalize(std::vector<double> m, std::vector<double> s) : mean(std::move(m)), std(std::move(s)) {}
  Tensor operator()(const Tensor& image) const { return normalize(image, mean, std); }
  std::vector<double> mean, std;
};

// ---- batches

// Change a batch {images [n, channels, height, width], labels}: for LoaderOptions::batch_transform.
// Each image is mixed with the one before it.  Labels are i64 [n], or probabilities [n,
// num_classes]; they become the latter, mixed in the same proportion, drawn from Beta(alpha,
// alpha).
struct MixUp {
  int64_t num_classes = 0;  // 0: labels are probabilities
  double alpha = 1;
  // Images are floating point.
  data::Sample operator()(data::Sample batch, data::Random& random) const;
};
// Each image has a box of the other one, of that part of the area.
struct CutMix {
  int64_t num_classes = 0;
  double alpha = 1;
  data::Sample operator()(data::Sample batch, data::Random& random) const;
};

}  // namespace vitro::images
