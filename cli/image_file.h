// Reads the pixels of PNG and JPEG files, with libpng and TurboJPEG.  Files are not trusted: their
// sizes are limited before memory is allocated, and a damaged one is a Failure, never a part of an
// image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/base/result.h"

namespace vitro::cli {

// Pixels of an image that is not refused.
constexpr int64_t largest_image = int64_t{1} << 27;

// Rows from top to bottom, channels of 8 bits side by side: grey, RGB or RGBA.
struct Image {
  int64_t height = 0, width = 0, channels = 3;
  std::vector<uint8_t> pixels;
};

// Whether a path ends as names of PNG or JPEG files do.
bool is_image(std::string_view path);

// An image with this number of channels, 1, 3 or 4, converted as PIL does: colours become grey by
// ITU-R 601's weights, alpha is dropped, of 16 bits the upper 8 are kept.  Nothing is rotated
// (EXIF).  The content decides what the file is, not its name.
Result<Image> read_image(const std::string& path, int channels);
// The same of a file's bytes; `name` begins messages.
Result<Image> decode_image(std::string_view bytes, const std::string& name, int channels);

}  // namespace vitro::cli
