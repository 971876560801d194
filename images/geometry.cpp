// Moves pixels: parts of images, borders, flips, and turned images.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <vector>

#include "planes.h"
#include "vitro/base/error.h"
#include "vitro/images/file.h"
#include "vitro/images/functional.h"
#include "vitro/ops/create.h"

namespace vitro::images {
namespace {

// Of elements with the size of E.
template <class E>
void pick(const Planes& image, std::span<const int64_t> rows, std::span<const int64_t> columns,
          const void* fill, void* to) {
  const E* plane = static_cast<const E*>(image.image.const_data());
  E* into = static_cast<E*>(to);
  E blank;
  std::memcpy(&blank, fill, sizeof blank);
  for (int64_t p = 0; p < image.count; ++p, plane += image.height * image.width) {
    for (const int64_t y : rows) {
      if (y == outside) {
        into = std::fill_n(into, columns.size(), blank);
        continue;
      }
      const E* row = plane + y * image.width;
      for (const int64_t x : columns) *into++ = x == outside ? blank : row[x];
    }
  }
}

std::vector<int64_t> counted_from(int64_t first, int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

// `count` pixels from `first` on, of a line of `size`; what lies outside is chosen by the mode.
std::vector<int64_t> line_of(int64_t first, int64_t count, int64_t size, PaddingMode mode) {
  std::vector<int64_t> out = counted_from(first, count);
  for (int64_t& at : out) {
    if (at >= 0 && at < size) continue;
    switch (mode) {
      case PaddingMode::constant:
        at = outside;
        break;
      case PaddingMode::edge:
        at = std::clamp<int64_t>(at, 0, size - 1);
        break;
      case PaddingMode::reflect:
        at = at < 0 ? -at : 2 * (size - 1) - at;
        break;
      case PaddingMode::symmetric:
        at = at < 0 ? -at - 1 : 2 * size - 1 - at;
        break;
    }
  }
  return out;
}

int64_t rounded(double x) {
  return static_cast<int64_t>(std::nearbyint(x));
}

// ---- turned images

// Where a pixel of the result comes from, both as places relative to the middles of the images:
// x' = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5].
using Matrix = std::array<double, 6>;

double radians(double degrees) {
  return degrees * std::numbers::pi / 180;
}

// The inverse of: shear, turn and scale around `center`, then translate.
Matrix inverse_of(const AffineOptions& how, const std::array<double, 2>& center) {
  const double turn = radians(how.angle), x = radians(how.shear[0]), y = radians(how.shear[1]);
  const double a = std::cos(turn - y) / std::cos(y);
  const double b = -std::cos(turn - y) * std::tan(x) / std::cos(y) - std::sin(turn);
  const double c = std::sin(turn - y) / std::cos(y);
  const double d = -std::sin(turn - y) * std::tan(x) / std::cos(y) + std::cos(turn);
  Matrix m{d / how.scale, -b / how.scale, 0, -c / how.scale, a / how.scale, 0};
  const double from_x = -center[0] - how.translate[0], from_y = -center[1] - how.translate[1];
  m[2] = m[0] * from_x + m[1] * from_y + center[0];
  m[5] = m[3] * from_x + m[4] * from_y + center[1];
  return m;
}

std::array<double, 2> from_middle(const std::optional<std::array<double, 2>>& center,
                                  const Planes& image) {
  if (!center) return {0, 0};
  return {(*center)[0] - 0.5 * static_cast<double>(image.width),
          (*center)[1] - 0.5 * static_cast<double>(image.height)};
}

// The sizes of a turned image: of the box around its corners.
ImageSize expanded(const Matrix& m, const Planes& image) {
  std::array<double, 2> least{1e300, 1e300}, most{-1e300, -1e300};
  const double w = 0.5 * static_cast<double>(image.width);
  const double h = 0.5 * static_cast<double>(image.height);
  for (const double x : {-w, w}) {
    for (const double y : {-h, h}) {
      const std::array<double, 2> corner{m[0] * x + m[1] * y + m[2] + w,
                                         m[3] * x + m[4] * y + m[5] + h};
      for (size_t i = 0; i < 2; ++i) {
        least[i] = std::min(least[i], corner[i]);
        most[i] = std::max(most[i], corner[i]);
      }
    }
  }
  // What is below a ten-thousandth is an error of rounding.
  const auto cut = [](double x) { return std::trunc(x * 1e4) * 1e-4; };
  const auto length = [&](size_t i) {
    return static_cast<int64_t>(std::ceil(cut(most[i])) - std::floor(cut(least[i])));
  };
  return {length(1), length(0)};
}

// A place in a plane, in pixels.
struct Place {
  double x = 0, y = 0;
};

template <class T>
struct Sampler {
  const Planes& image;
  double fill;

  bool has(int64_t x, int64_t y) const {
    return x >= 0 && x < image.width && y >= 0 && y < image.height;
  }
  double nearest(const T* plane, Place at) const {
    const int64_t x = rounded(at.x), y = rounded(at.y);
    return has(x, y) ? static_cast<double>(plane[y * image.width + x]) : fill;
  }
  // Pixels outside count as 0.  The result is mixed with `fill` by the part that lies inside, as
  // torchvision does.
  double bilinear(const T* plane, Place at) const {
    const double left = std::floor(at.x), top = std::floor(at.y);
    double sum = 0, inside = 0;
    for (int64_t j = 0; j < 2; ++j) {
      for (int64_t i = 0; i < 2; ++i) {
        const int64_t x = static_cast<int64_t>(left) + i, y = static_cast<int64_t>(top) + j;
        if (!has(x, y)) continue;
        const double weight =
            (i == 0 ? left + 1 - at.x : at.x - left) * (j == 0 ? top + 1 - at.y : at.y - top);
        sum += weight * static_cast<double>(plane[y * image.width + x]);
        inside += weight;
      }
    }
    return sum * inside + (1 - inside) * fill;
  }
};

template <class T>
void sample(const Planes& image, const Matrix& m, InterpolationMode mode, double fill,
            Planes& out) {
  const Sampler<T> sampler{image, fill};
  const auto middle = [](int64_t size) { return 0.5 * static_cast<double>(size) - 0.5; };
  const T* plane = image.image.const_data<T>();
  T* into = out.image.data<T>();
  for (int64_t p = 0; p < image.count; ++p, plane += image.height * image.width) {
    for (int64_t row = 0; row < out.height; ++row) {
      const double y = static_cast<double>(row) - middle(out.height);
      for (int64_t column = 0; column < out.width; ++column) {
        const double x = static_cast<double>(column) - middle(out.width);
        const Place at{m[0] * x + m[1] * y + m[2] + middle(image.width),
                       m[3] * x + m[4] * y + m[5] + middle(image.height)};
        double value = mode == InterpolationMode::nearest ? sampler.nearest(plane, at)
                                                          : sampler.bilinear(plane, at);
        if constexpr (std::is_integral_v<T>) value = std::clamp(std::nearbyint(value), 0.0, 255.0);
        *into++ = static_cast<T>(value);
      }
    }
  }
}

Tensor sampled(const char* function, const Tensor& given, const Planes& image, const Matrix& m,
               ImageSize size, InterpolationMode mode, double fill) {
  VITRO_CHECK(mode != InterpolationMode::bicubic, function,
              ": needs the interpolation nearest or bilinear");
  if (image.height > 0 && image.width > 0) check_size(function, size.height, size.width);
  Planes out = new_planes(image.image, size.height, size.width, given.dtype());
  switch (given.dtype()) {
    case DType::u8:
      sample<uint8_t>(image, m, mode, fill, out);
      break;
    case DType::f32:
      sample<float>(image, m, mode, fill, out);
      break;
    case DType::f64:
      sample<double>(image, m, mode, fill, out);
      break;
    default: {
      VITRO_CHECK(is_floating(given.dtype()), function, ": needs u8 or floating point, got ",
                  given.dtype());
      const Tensor wide = to(given, DType::f32);
      return to(sampled(function, wide, planes_of(function, wide), m, size, mode, fill),
                given.dtype());
    }
  }
  return out.image;
}

}  // namespace

// ---- planes

Planes planes_of(std::string_view function, const Tensor& image) {
  VITRO_CHECK(image.rank() >= 3, function, ": needs an image [..., channels, height, width], got ",
              image.dtype(), image.sizes());
  Planes out{contiguous(image), 1, image.size(-2).value(), image.size(-1).value()};
  for (int64_t i = 0; i < image.rank() - 2; ++i) out.count *= image.size(i).value();
  return out;
}

void check_size(std::string_view function, int64_t height, int64_t width) {
  VITRO_CHECK(height >= 1 && width >= 1, function, ": needs sizes of 1 or more, got ", height,
              " x ", width);
  VITRO_CHECK(width <= largest_image / height, function, ": makes ", height, " x ", width,
              " pixels, which is more than ", largest_image);
}

Planes new_planes(const Tensor& like, int64_t height, int64_t width, DType dtype) {
  Ints sizes;
  int64_t count = 1;
  for (int64_t i = 0; i < like.rank() - 2; ++i) {
    sizes.push_back(like.size(i).value());
    count *= sizes.back();
  }
  sizes.push_back(height);
  sizes.push_back(width);
  return {Tensor::empty(sizes, dtype), count, height, width};
}

Tensor picked(const Planes& image, std::span<const int64_t> rows, std::span<const int64_t> columns,
              double fill) {
  const DType dtype = image.image.dtype();
  const Planes out = new_planes(image.image, static_cast<int64_t>(rows.size()),
                                static_cast<int64_t>(columns.size()), dtype);
  if (out.image.numel().value() == 0) return out.image;
  const Tensor blank = full({1}, fill, dtype);
  const void* one = blank.const_data();
  switch (bytes_of(dtype)) {
    case 1:
      pick<uint8_t>(image, rows, columns, one, out.image.data());
      break;
    case 2:
      pick<uint16_t>(image, rows, columns, one, out.image.data());
      break;
    case 4:
      pick<uint32_t>(image, rows, columns, one, out.image.data());
      break;
    case 8:
      pick<uint64_t>(image, rows, columns, one, out.image.data());
      break;
    default:
      pick<std::array<uint64_t, 2>>(image, rows, columns, one, out.image.data());
  }
  return out.image;
}

int64_t channels_of(const Tensor& image) {
  return image.size(-3).value();
}

// ---- parts, and images with a border

Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width) {
  const Planes planes = planes_of("crop", image);
  check_size("crop", height, width);
  return picked(planes, line_of(top, height, planes.height, PaddingMode::constant),
                line_of(left, width, planes.width, PaddingMode::constant));
}

Tensor center_crop(const Tensor& image, ImageSize size) {
  const Planes planes = planes_of("center_crop", image);
  if (size.width == 0) size.width = size.height;
  const auto begin = [](int64_t has, int64_t wants) {
    if (wants > has) return -((wants - has) / 2);
    return rounded(static_cast<double>(has - wants) / 2);
  };
  return crop(image, begin(planes.height, size.height), begin(planes.width, size.width),
              size.height, size.width);
}

Tensor resized_crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width,
                    ImageSize size, InterpolationMode interpolation) {
  return resize(crop(image, top, left, height, width), size, interpolation);
}

Tensor pad(const Tensor& image, const Padding& padding, double fill, PaddingMode padding_mode) {
  const Planes planes = planes_of("pad", image);
  for (const int64_t one : {padding.left, padding.top, padding.right, padding.bottom})
    VITRO_CHECK(one <= largest_image && one >= -largest_image, "pad: needs at most ", largest_image,
                " pixels at each side, got ", one);
  const auto line = [&](int64_t before, int64_t after, int64_t size) {
    const int64_t most = padding_mode == PaddingMode::reflect     ? size - 1
                         : padding_mode == PaddingMode::symmetric ? size
                                                                  : INT64_MAX;
    VITRO_CHECK(before <= most && after <= most, "pad: needs at most ", most,
                " mirrored pixels at each end of a side of ", size, ", got ", before, " and ",
                after);
    VITRO_CHECK(size + before + after >= 1 && (size > 0 || padding_mode == PaddingMode::constant),
                "pad: nothing is left of a side of ", size, " after padding of ", before, " and ",
                after);
    return line_of(-before, size + before + after, size, padding_mode);
  };
  const std::vector<int64_t> rows = line(padding.top, padding.bottom, planes.height);
  const std::vector<int64_t> columns = line(padding.left, padding.right, planes.width);
  check_size("pad", std::ssize(rows), std::ssize(columns));
  return picked(planes, rows, columns, fill);
}

Tensor hflip(const Tensor& image) {
  const Planes planes = planes_of("hflip", image);
  std::vector<int64_t> columns = counted_from(0, planes.width);
  std::ranges::reverse(columns);
  return picked(planes, counted_from(0, planes.height), columns);
}

Tensor vflip(const Tensor& image) {
  const Planes planes = planes_of("vflip", image);
  std::vector<int64_t> rows = counted_from(0, planes.height);
  std::ranges::reverse(rows);
  return picked(planes, rows, counted_from(0, planes.width));
}

// ---- turned images

Tensor rotate(const Tensor& image, double angle, const RotateOptions& options) {
  VITRO_CHECK(std::isfinite(angle), "rotate: needs a finite angle, got ", angle);
  const Planes planes = planes_of("rotate", image);
  const Matrix m = inverse_of({.angle = -angle}, from_middle(options.center, planes));
  const ImageSize size =
      options.expand ? expanded(m, planes) : ImageSize(planes.height, planes.width);
  return sampled("rotate", image, planes, m, size, options.interpolation, options.fill);
}

Tensor affine(const Tensor& image, const AffineOptions& options) {
  VITRO_CHECK(options.scale > 0, "affine: needs a scale above 0, got ", options.scale);
  const Planes planes = planes_of("affine", image);
  return sampled("affine", image, planes, inverse_of(options, from_middle(options.center, planes)),
                 {planes.height, planes.width}, options.interpolation, options.fill);
}

}  // namespace vitro::images
