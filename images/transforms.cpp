// Random transforms: each draws its numbers in the order in which torchvision's draws them, and
// calls functions of images.
#include "vitro/images/transforms.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "planes.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"
#include "vitro/ops/rearrange.h"

namespace vitro::images {
namespace {

void check_probability(std::string_view transform, double p) {
  VITRO_CHECK(p >= 0 && p <= 1, transform, ": needs a probability from 0 to 1, got ", p);
}
void check_range(std::string_view transform, const char* what, const Range& range, double least,
                 double most = INFINITY) {
  VITRO_CHECK(least <= range[0] && range[0] <= range[1] && range[1] <= most, transform, ": ", what,
              " needs least and most, from ", least, " to ", most, ", got ", range[0], " and ",
              range[1]);
}

double drawn(const Range& range, data::Random& random) {
  return range[0] == range[1] ? range[0] : random.uniform(range[0], range[1]);
}
int64_t rounded(double x) {
  return static_cast<int64_t>(std::nearbyint(x));
}
ImageSize both(ImageSize size) {
  return size.width == 0 ? ImageSize(size.height, size.height) : size;
}

// A part of the image.
struct Box {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

// Sizes of an area and a ratio that are drawn at random, the ratio being that of the first size to
// the second.
std::array<int64_t, 2> drawn_sides(double area, const Range& scale, const Range& ratio,
                                   data::Random& random) {
  const double part = area * drawn(scale, random);
  const double quotient = std::exp(drawn({std::log(ratio[0]), std::log(ratio[1])}, random));
  return {rounded(std::sqrt(part * quotient)), rounded(std::sqrt(part / quotient))};
}

// At any place of an image with these sizes.
Box placed(int64_t height, int64_t width, const Planes& image, data::Random& random) {
  const int64_t top = random.below(image.height - height + 1);
  return {top, random.below(image.width - width + 1), height, width};
}

Box drawn_crop(const Planes& image, const RandomResizedCropOptions& options, data::Random& random) {
  const auto width = static_cast<double>(image.width), height = static_cast<double>(image.height);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const auto [w, h] = drawn_sides(width * height, options.scale, options.ratio, random);
    if (w > 0 && w <= image.width && h > 0 && h <= image.height) return placed(h, w, image, random);
  }
  // The largest part in the middle whose ratio is in the range.
  const double ratio = std::clamp(width / height, options.ratio[0], options.ratio[1]);
  const bool is_narrow = width / height < ratio;
  const bool is_wide = width / height > ratio;
  const int64_t h = is_narrow ? std::max<int64_t>(rounded(width / ratio), 1) : image.height;
  const int64_t w = is_wide ? std::max<int64_t>(rounded(height * ratio), 1) : image.width;
  return {(image.height - h) / 2, (image.width - w) / 2, h, w};
}

// Box and Muller, "A note on the generation of random normal deviates", 1958.
double normal(data::Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// From the gamma distribution.  Marsaglia and Tsang, "A simple method for generating gamma
// variables", 2000.
double gamma(double alpha, data::Random& random) {
  if (alpha < 1) {
    const double larger = gamma(alpha + 1, random);
    return larger * std::pow(1 - random.uniform(), 1 / alpha);
  }
  const double d = alpha - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(random), v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}
// From Beta(alpha, alpha).
double beta(double alpha, data::Random& random) {
  const double a = gamma(alpha, random), b = gamma(alpha, random);
  return a + b > 0 ? a / (a + b) : 0.5;
}

// ---- batches

void check_batch(const char* transform, const data::Sample& batch, int64_t num_classes,
                 double alpha) {
  VITRO_CHECK(alpha > 0, transform, ": needs alpha above 0, got ", alpha);
  VITRO_CHECK(batch.size() >= 2 && batch[0].rank() == 4 &&
                  (batch[1].rank() == 1 || batch[1].rank() == 2) &&
                  batch[1].size(0) == batch[0].size(0),
              transform, ": needs a batch of images [n, channels, height, width] and n labels");
  VITRO_CHECK(batch[1].rank() == 2 || num_classes > 0, transform,
              ": needs num_classes, because labels are numbers");
  VITRO_CHECK(batch[1].rank() == 1 || num_classes == 0 || batch[1].size(1) == num_classes,
              transform, ": needs labels for ", num_classes, " classes, got ", batch[1].sizes());
}

// Each row with the one before it.
Tensor mixed(const Tensor& x, double part) {
  return roll(x, {1}, {0}) * (1.0 - part) + x * part;
}
Tensor mixed_labels(const Tensor& labels, int64_t num_classes, double part) {
  const Tensor rows = labels.rank() == 1 ? one_hot(labels, num_classes) : labels;
  return mixed(is_floating(rows.dtype()) ? rows : to(rows, DType::f32), part);
}

}  // namespace

Tensor Compose::operator()(const Tensor& image, data::Random& random) const {
  Tensor out = image;
  for (const Transform& each : transforms_) out = each(out, random);
  return out;
}

data::Sample Compose::operator()(data::Sample sample, data::Random& random) const {
  VITRO_CHECK(!sample.empty(), "Compose: the sample has no field");
  sample[0] = (*this)(sample[0], random);
  return sample;
}

RandomApply::RandomApply(const char* name, Transform t, double probability)
    : transform(std::move(t)), p(probability) {
  check_probability(name, p);
}
Tensor RandomApply::operator()(const Tensor& image, data::Random& random) const {
  return random.chance(p) ? transform(image, random) : image;
}

RandomCrop::RandomCrop(ImageSize s, RandomCropOptions o) : size(both(s)), options(o) {
  VITRO_CHECK(size.height >= 1 && size.width >= 1, "RandomCrop: needs sizes of 1 or more, got ",
              size.height, " x ", size.width);
}
Tensor RandomCrop::operator()(const Tensor& given, data::Random& random) const {
  const auto padded = [&](const Tensor& image, const Padding& padding) {
    return pad(image, padding, options.fill, options.padding_mode);
  };
  const bool has_padding = options.padding != Padding();
  Planes image = planes_of("RandomCrop", has_padding ? padded(given, options.padding) : given);
  if (options.pad_if_needed) {
    const int64_t x = std::max<int64_t>(size.width - image.width, 0);
    const int64_t y = std::max<int64_t>(size.height - image.height, 0);
    if (x > 0 || y > 0) image = planes_of("RandomCrop", padded(image.image, {x, y}));
  }
  VITRO_CHECK(size.height <= image.height && size.width <= image.width, "RandomCrop: needs ",
              size.height, " x ", size.width, " pixels (height x width), the image has ",
              image.height, " x ", image.width, "; give padding, pad_if_needed, or Resize it");
  const Box box = placed(size.height, size.width, image, random);
  return crop(image.image, box.top, box.left, box.height, box.width);
}

RandomResizedCrop::RandomResizedCrop(ImageSize s, RandomResizedCropOptions o)
    : size(both(s)), options(o) {
  check_range("RandomResizedCrop", "scale", options.scale, 0);
  check_range("RandomResizedCrop", "ratio", options.ratio, 1e-6);
}
Tensor RandomResizedCrop::operator()(const Tensor& image, data::Random& random) const {
  const Box box = drawn_crop(planes_of("RandomResizedCrop", image), options, random);
  return resized_crop(image, box.top, box.left, box.height, box.width, size, options.interpolation);
}

RandomHorizontalFlip::RandomHorizontalFlip(double probability)
    : RandomApply("RandomHorizontalFlip", hflip, probability) {}

RandomVerticalFlip::RandomVerticalFlip(double probability)
    : RandomApply("RandomVerticalFlip", vflip, probability) {}

RandomErasing::RandomErasing(RandomErasingOptions o) : options(std::move(o)) {
  check_probability("RandomErasing", options.p);
  check_range("RandomErasing", "scale", options.scale, 0, 1);
  check_range("RandomErasing", "ratio", options.ratio, 1e-6);
}
Tensor RandomErasing::operator()(const Tensor& image, data::Random& random) const {
  if (!random.chance(options.p)) return image;
  const Planes planes = planes_of("RandomErasing", image);
  const auto area = static_cast<double>(planes.height * planes.width);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const auto [h, w] = drawn_sides(area, options.scale, options.ratio, random);
    if (h >= planes.height || w >= planes.width) continue;
    const Box box = placed(h, w, planes, random);
    if (!options.value.empty())
      return erase(image, box.top, box.left, box.height, box.width, options.value);
    const Tensor out = clone(image);
    const Tensor part = slice(slice(out, -2, box.top, box.top + h), -1, box.left, box.left + w);
    std::vector<double> noise(static_cast<size_t>(planes.count * h * w));
    for (double& one : noise) one = normal(random);
    copy_(part,
          to(reshape(Tensor::from(noise, {planes.count * h * w}), part.sizes()), image.dtype()));
    return out;
  }
  return image;
}

RandomRotation::RandomRotation(Spread d, RotateOptions o) : degrees(d), options(o) {
  check_range("RandomRotation", "degrees", degrees, -INFINITY);
}
Tensor RandomRotation::operator()(const Tensor& image, data::Random& random) const {
  return rotate(image, drawn(degrees, random), options);
}

RandomAffine::RandomAffine(Spread d, RandomAffineOptions o) : degrees(d), options(o) {
  check_range("RandomAffine", "degrees", degrees, -INFINITY);
  check_range("RandomAffine", "scale", options.scale, 1e-6);
  for (const double part : options.translate)
    VITRO_CHECK(part >= 0 && part <= 1, "RandomAffine: translate needs parts from 0 to 1, got ",
                part);
}
Tensor RandomAffine::operator()(const Tensor& image, data::Random& random) const {
  const Planes planes = planes_of("RandomAffine", image);
  AffineOptions how{
      .interpolation = options.interpolation, .center = options.center, .fill = options.fill};
  how.angle = drawn(degrees, random);
  const std::array<int64_t, 2> sides{planes.width, planes.height};
  for (size_t i = 0; i < 2; ++i) {
    const double most = options.translate[i] * static_cast<double>(sides[i]);
    how.translate[i] = std::nearbyint(drawn(Spread(most), random));
  }
  how.scale = drawn(options.scale, random);
  how.shear[0] = drawn(options.shear_x, random);
  how.shear[1] = drawn(options.shear_y, random);
  return affine(image, how);
}

ColorJitter::ColorJitter(ColorJitterOptions o) : options(o) {
  check_range("ColorJitter", "brightness", options.brightness, 0);
  check_range("ColorJitter", "contrast", options.contrast, 0);
  check_range("ColorJitter", "saturation", options.saturation, 0);
  check_range("ColorJitter", "hue", options.hue, -0.5, 0.5);
}
Tensor ColorJitter::operator()(const Tensor& image, data::Random& random) const {
  std::array<int, 4> order{0, 1, 2, 3};
  for (size_t i = 3; i > 0; --i)
    std::swap(order[i], order[static_cast<size_t>(random.below(static_cast<int64_t>(i) + 1))]);
  const double brightness = drawn(options.brightness, random);
  const double contrast = drawn(options.contrast, random);
  const double saturation = drawn(options.saturation, random);
  const double hue = drawn(options.hue, random);
  Tensor out = image;
  for (const int which : order) {
    if (which == 0 && brightness != 1) out = adjust_brightness(out, brightness);
    if (which == 1 && contrast != 1) out = adjust_contrast(out, contrast);
    if (which == 2 && saturation != 1) out = adjust_saturation(out, saturation);
    if (which == 3 && hue != 0) out = adjust_hue(out, hue);
  }
  return out;
}

RandomGrayscale::RandomGrayscale(double probability)
    : RandomApply(
          "RandomGrayscale",
          [](const Tensor& image) {
            return rgb_to_grayscale(image, static_cast<int>(channels_of(image)));
          },
          probability) {}

data::Sample MixUp::operator()(data::Sample batch, data::Random& random) const {
  check_batch("MixUp", batch, num_classes, alpha);
  VITRO_CHECK(is_floating(batch[0].dtype()), "MixUp: needs images of floating point, got ",
              batch[0].dtype(), "; convert_image_dtype() makes it of u8");
  const double part = beta(alpha, random);
  batch[0] = mixed(batch[0], part);
  batch[1] = mixed_labels(batch[1], num_classes, part);
  return batch;
}

data::Sample CutMix::operator()(data::Sample batch, data::Random& random) const {
  check_batch("CutMix", batch, num_classes, alpha);
  const double part = beta(alpha, random);
  const Planes image = planes_of("CutMix", batch[0]);
  const int64_t x = random.below(image.width), y = random.below(image.height);
  const double half = 0.5 * std::sqrt(1 - part);
  const auto half_width = static_cast<int64_t>(half * static_cast<double>(image.width));
  const auto half_height = static_cast<int64_t>(half * static_cast<double>(image.height));
  const int64_t left = std::max<int64_t>(x - half_width, 0);
  const int64_t top = std::max<int64_t>(y - half_height, 0);
  const int64_t right = std::min(x + half_width, image.width);
  const int64_t bottom = std::min(y + half_height, image.height);
  const auto box = [&](const Tensor& of) {
    return slice(slice(of, -2, top, bottom), -1, left, right);
  };
  const Tensor out = clone(batch[0]);
  copy_(box(out), roll(box(batch[0]), {1}, {0}));
  batch[0] = out;
  const double covered = static_cast<double>((right - left) * (bottom - top)) /
                         static_cast<double>(image.width * image.height);
  batch[1] = mixed_labels(batch[1], num_classes, 1 - covered);
  return batch;
}

}  // namespace vitro::images
