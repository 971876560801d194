// Resizes images as PIL does: a pixel of the result is the weighted sum of those that it covers,
// first along rows, then along columns.  For u8 with PIL's arithmetic: weights of 22 bits, and 8
// bits between the passes.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "planes.h"
#include "vitro/base/error.h"
#include "vitro/images/file.h"
#include "vitro/images/functional.h"
#include "vitro/ops/create.h"

namespace vitro::images {
namespace {

constexpr int weight_bits = 22;

// The pixels of the operand that one pixel of the result is made of, and their weights.
template <class W>
struct Taps {
  int64_t first = 0;
  std::vector<W> weights;
};

// Weights and sums: of 22 bits for u8.
template <class T>
using Weight = std::conditional_t<std::is_same_v<T, uint8_t>, int32_t, T>;

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
template <class W>
std::vector<Taps<W>> taps_of(int64_t from, int64_t to, bool is_bicubic) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double widened = std::max(scale, 1.0);
  const double support = (is_bicubic ? 2.0 : 1.0) * widened;
  std::vector<Taps<W>> out(static_cast<size_t>(to));
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
    Taps<W>& taps = out[static_cast<size_t>(i)];
    taps.first = first;
    for (const double w : weights) {
      double one = sum != 0 ? w / sum : w;
      if constexpr (std::is_integral_v<W>) one = one * (1 << weight_bits) + (one < 0 ? -0.5 : 0.5);
      taps.weights.push_back(static_cast<W>(one));
    }
  }
  return out;
}

// What sums begin with, so that they are rounded.
template <class W>
constexpr W half() {
  if constexpr (std::is_integral_v<W>) return W{1} << (weight_bits - 1);
  return 0;
}

// The pixel for a sum.  Sums of u8 fit into 32 bits: weights add up to 2^22, and the negative ones
// of bicubic make them larger by less than a half.
template <class T, class W>
T pixel_of(W sum) {
  if constexpr (std::is_integral_v<W>) sum = std::clamp<W>(sum >> weight_bits, 0, 255);
  return static_cast<T>(sum);
}

template <class T>
Planes with_width(const Planes& image, int64_t width, bool is_bicubic) {
  using W = Weight<T>;
  const std::vector<Taps<W>> taps = taps_of<W>(image.width, width, is_bicubic);
  Planes out = new_planes(image.image, image.height, width, image.image.dtype());
  const T* row = image.image.const_data<T>();
  T* into = out.image.data<T>();
  for (int64_t y = 0; y < image.count * image.height; ++y, row += image.width) {
    for (const Taps<W>& one : taps) {
      W sum = half<W>();
      const T* from = row + one.first;
      for (const W weight : one.weights) sum += static_cast<W>(*from++) * weight;
      *into++ = pixel_of<T>(sum);
    }
  }
  return out;
}

template <class T>
Planes with_height(const Planes& image, int64_t height, bool is_bicubic) {
  using W = Weight<T>;
  const std::vector<Taps<W>> taps = taps_of<W>(image.height, height, is_bicubic);
  Planes out = new_planes(image.image, height, image.width, image.image.dtype());
  const auto width = static_cast<size_t>(image.width);
  std::vector<W> sums(width);
  const T* plane = image.image.const_data<T>();
  T* into = out.image.data<T>();
  for (int64_t p = 0; p < image.count; ++p, plane += image.height * image.width) {
    for (const Taps<W>& one : taps) {
      sums.assign(width, half<W>());
      const T* row = plane + one.first * image.width;
      for (const W weight : one.weights) {
        for (size_t x = 0; x < width; ++x) sums[x] += static_cast<W>(row[x]) * weight;
        row += image.width;
      }
      for (const W sum : sums) *into++ = pixel_of<T>(sum);
    }
  }
  return out;
}

template <class T>
Tensor resized(Planes image, int64_t height, int64_t width, bool is_bicubic) {
  if (width != image.width) image = with_width<T>(image, width, is_bicubic);
  if (height != image.height) image = with_height<T>(image, height, is_bicubic);
  return image.image;
}

// Of the whole image, if one number was given.
ImageSize whole(ImageSize wanted, const Planes& image) {
  VITRO_CHECK(wanted.height >= 1 && wanted.width >= 0, "resize: needs sizes of 1 or more, got ",
              wanted.height, " x ", wanted.width);
  if (wanted.width == 0) {
    const auto shorter = static_cast<double>(wanted.height);
    const bool is_high = image.width <= image.height;
    const auto longer =
        static_cast<int64_t>(shorter * static_cast<double>(is_high ? image.height : image.width) /
                             static_cast<double>(is_high ? image.width : image.height));
    wanted = is_high ? ImageSize(longer, wanted.height) : ImageSize(wanted.height, longer);
  }
  check_size("resize", wanted.height, wanted.width);
  return wanted;
}

}  // namespace

Tensor resize(const Tensor& image, ImageSize size, InterpolationMode interpolation) {
  const Planes planes = planes_of("resize", image);
  VITRO_CHECK(planes.height > 0 && planes.width > 0,
              "resize: the image has no pixels: ", image.sizes());
  const ImageSize to = whole(size, planes);
  if (to.height == planes.height && to.width == planes.width) return clone(image);
  if (interpolation == InterpolationMode::nearest) {
    const auto nearest = [](int64_t from, int64_t count) {
      std::vector<int64_t> out;
      const double scale = static_cast<double>(from) / static_cast<double>(count);
      for (int64_t i = 0; i < count; ++i)
        out.push_back(
            std::min(static_cast<int64_t>((static_cast<double>(i) + 0.5) * scale), from - 1));
      return out;
    };
    return picked(planes, nearest(planes.height, to.height), nearest(planes.width, to.width));
  }
  const bool is_bicubic = interpolation == InterpolationMode::bicubic;
  switch (image.dtype()) {
    case DType::u8:
      return resized<uint8_t>(planes, to.height, to.width, is_bicubic);
    case DType::f32:
      return resized<float>(planes, to.height, to.width, is_bicubic);
    case DType::f64:
      return resized<double>(planes, to.height, to.width, is_bicubic);
    default:
      break;
  }
  VITRO_CHECK(is_floating(image.dtype()), "resize: needs u8 or floating point, got ",
              image.dtype());
  return vitro::to(resize(vitro::to(image, DType::f32), to, interpolation), image.dtype());
}

}  // namespace vitro::images
