// Decodes images.  Both decoders report errors without exceptions: libpng by longjmp, so its
// function has no objects that need a destructor.
#include "image_file.h"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cctype>
#include <csetjmp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>

#include "vitro/base/cat.h"

namespace vitro::cli {
namespace {

constexpr size_t channels_read = 4;             // RGBA of both decoders
constexpr uint64_t largest_file = 1ull << 30;   // bytes
constexpr uint64_t largest_chunk = 8ull << 20;  // of a PNG, if it is not pixels
constexpr uint32_t largest_side = 1u << 20;

// Why an image of this size is refused; empty if it is not.
std::string problem_of_size(int64_t width, int64_t height) {
  if (width > 0 && height > 0 && width <= largest_image / height) return "";
  return cat("has ", width, " x ", height, " pixels; images of 1 to ", largest_image,
             " pixels are read");
}

// ---- PNG

struct PngRead {
  const char* data = nullptr;
  size_t left = 0;
  char message[160] = "";
  png_structp png = nullptr;
  png_infop info = nullptr;
  uint32_t width = 0, height = 0;
  int passes = 1;

  PngRead() = default;
  PngRead(const PngRead&) = delete;
  ~PngRead() { png_destroy_read_struct(&png, &info, nullptr); }
};

void png_failed(png_structp png, png_const_charp message) {
  auto* read = static_cast<PngRead*>(png_get_error_ptr(png));
  std::strncpy(read->message, message, sizeof read->message - 1);
  png_longjmp(png, 1);
}
void png_warned(png_structp, png_const_charp) {}

void png_take(png_structp png, png_bytep into, size_t size) {
  auto* read = static_cast<PngRead*>(png_get_io_ptr(png));
  if (size > read->left) png_error(png, "the file ends too early");
  std::memcpy(into, read->data, size);
  read->data += size;
  read->left -= size;
}

// Reads up to the pixels, which will be RGBA.
bool png_begin(PngRead& read) {
  if (setjmp(png_jmpbuf(read.png)) != 0) return false;
  png_set_read_fn(read.png, &read, png_take);
  png_set_user_limits(read.png, largest_side, largest_side);
  png_set_chunk_malloc_max(read.png, largest_chunk);
  png_read_info(read.png, read.info);
  png_set_expand(read.png);
  png_set_strip_16(read.png);
  png_set_gray_to_rgb(read.png);
  png_set_add_alpha(read.png, 0xff, PNG_FILLER_AFTER);
  read.passes = png_set_interlace_handling(read.png);
  png_read_update_info(read.png, read.info);
  read.width = png_get_image_width(read.png, read.info);
  read.height = png_get_image_height(read.png, read.info);
  return true;
}

bool png_pixels(PngRead& read, uint8_t* pixels) {
  if (setjmp(png_jmpbuf(read.png)) != 0) return false;
  if (png_get_rowbytes(read.png, read.info) != read.width * channels_read)
    png_error(read.png, "rows have another size than their pixels");
  for (int pass = 0; pass < read.passes; ++pass)
    for (uint32_t y = 0; y < read.height; ++y)
      png_read_row(read.png, pixels + size_t{y} * read.width * channels_read, nullptr);
  png_read_end(read.png, nullptr);
  return true;
}

Result<Image> decode_png(std::string_view bytes) {
  PngRead read;
  read.data = bytes.data();
  read.left = bytes.size();
  read.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &read, png_failed, png_warned);
  read.info = read.png ? png_create_info_struct(read.png) : nullptr;
  if (!read.info) return Failure{"libpng cannot be used"};
  if (!png_begin(read)) return Failure{read.message};
  const std::string problem = problem_of_size(read.width, read.height);
  if (!problem.empty()) return Failure{problem};
  Image out{read.height, read.width, channels_read, {}};
  out.pixels.resize(size_t{read.height} * read.width * channels_read);
  if (!png_pixels(read, out.pixels.data())) return Failure{read.message};
  return out;
}

// ---- JPEG

Result<Image> decode_jpeg(std::string_view bytes) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  if (!decoder) return Failure{"TurboJPEG cannot be used"};
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &subsampling,
                          &colours) != 0)
    return Failure{tjGetErrorStr2(decoder.get())};
  const std::string problem = problem_of_size(width, height);
  if (!problem.empty()) return Failure{problem};
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    return Failure{"has CMYK colours; convert it to RGB"};
  Image out{height, width, channels_read, {}};
  out.pixels.resize(size_t(height) * size_t(width) * channels_read);
  // Also a warning is an error here: after one, pixels are made up.
  if (tjDecompress2(decoder.get(), data, bytes.size(), out.pixels.data(), width, 0, height,
                    TJPF_RGBA, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0)
    return Failure{tjGetErrorStr2(decoder.get())};
  return out;
}

// ---- both

// In place, as there are only fewer channels.
void take_channels(Image& image, int channels) {
  if (channels == image.channels) return;
  const uint8_t* from = image.pixels.data();
  uint8_t* into = image.pixels.data();
  for (const uint8_t* end = from + image.pixels.size(); from != end; from += channels_read) {
    if (channels == 3) {
      std::memmove(into, from, 3);
    } else {
      *into = static_cast<uint8_t>(
          (from[0] * 19595u + from[1] * 38470u + from[2] * 7471u + 0x8000u) >> 16);
    }
    into += channels;
  }
  image.channels = channels;
  image.pixels.resize(static_cast<size_t>(into - image.pixels.data()));
}

bool begins_with(std::string_view bytes, std::initializer_list<unsigned char> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](unsigned char a, char b) { return a == static_cast<unsigned char>(b); });
}

}  // namespace

bool is_image(std::string_view path) {
  std::string ending(path.substr(std::min(path.rfind('.'), path.size())));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

Result<Image> decode_image(std::string_view bytes, const std::string& name, int channels) {
  const bool png = begins_with(bytes, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
  if (!png && !begins_with(bytes, {0xff, 0xd8, 0xff}))
    return Failure{cat(name, ": is neither PNG nor JPEG")};
  Result<Image> out = png ? decode_png(bytes) : decode_jpeg(bytes);
  if (!out) return Failure{cat(name, ": ", png ? "PNG: " : "JPEG: ", out.why())};
  take_channels(*out, channels);
  return out;
}

Result<Image> read_image(const std::string& path, int channels) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(path, problem))
    return Failure{cat(path, ": there is no such file")};
  const uint64_t size = std::filesystem::file_size(path, problem);
  if (problem || size > largest_file)
    return Failure{
        cat(path, ": has ", size, " bytes; images of up to ", largest_file, " bytes are read")};
  std::string bytes(size, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    return Failure{cat(path, ": cannot be read")};
  return decode_image(bytes, path, channels);
}

}  // namespace vitro::cli
