// What the functions of images share: their planes in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "vitro/core/tensor.h"

namespace vitro::images {

// `count` planes of height x width, one after the other.
struct Planes {
  Tensor image;  // contiguous
  int64_t count = 0, height = 0, width = 0;
};
// Error unless the image has at least 3 dimensions; `function` begins the message.
Planes planes_of(std::string_view function, const Tensor& image);
// Error unless sizes of a result are at least 1, and its pixels not more than largest_image.
void check_size(std::string_view function, int64_t height, int64_t width);
// New planes for an image whose other dimensions are those of `like`.
Planes new_planes(const Tensor& like, int64_t height, int64_t width, DType dtype);

// The pixels in these rows and columns of each plane, all of them of the operand, or `outside`.
constexpr int64_t outside = -1;
Tensor picked(const Planes& image, std::span<const int64_t> rows, std::span<const int64_t> columns,
              double fill = 0);

// The number of channels.
int64_t channels_of(const Tensor& image);

}  // namespace vitro::images
