// PNG and JPEG files as tensors of pixels: u8 [channels, height, width], rows from top to bottom.
//   Tensor image = images::read_image("photo.jpg").value();   // u8 [3, 480, 640]
//   images::write_png("mirrored.png", images::hflip(image));
// Files are not trusted: their sizes are limited before memory is allocated, and a damaged one is a
// Failure, never a part of an image.  All functions may be called by several threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vitro/base/result.h"
#include "vitro/core/tensor.h"

namespace vitro::images {

// Pixels of an image that is not refused.
constexpr int64_t largest_image = int64_t{1} << 27;

// Whether a path ends as names of PNG or JPEG files do.
bool is_image(std::string_view path);

// An image with this number of channels: 1 grey, 3 RGB, 4 RGBA, or 0: as many as the file has, 2 of
// them if it is grey with alpha.  Converted as PIL does: colours become grey by ITU-R 601's
// weights, alpha is dropped or opaque, of 16 bits the upper 8 are kept, CMYK becomes RGB.  Nothing
// is rotated (EXIF).  The content decides what the file is, not its name.
Result<Tensor> read_image(const std::string& path, int channels = 0);
// The same of a file's bytes; `name` begins messages.
Result<Tensor> decode_image(std::string_view bytes, const std::string& name, int channels = 0);

// The bytes of a file with an image, u8 [channels, height, width].  PNG: 1 to 4 channels (grey,
// grey and alpha, RGB, RGBA); JPEG: 1 or 3, with a quality of 1 to 100.  Errors begin with the name
// of the function.
std::string encode_png(const Tensor& image);
std::string encode_jpeg(const Tensor& image, int quality = 75);
// Write files that appear complete or not at all.  Error if the file cannot be written.
void write_png(const std::string& path, const Tensor& image);
void write_jpeg(const std::string& path, const Tensor& image, int quality = 75);

}  // namespace vitro::images
