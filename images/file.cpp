// Decodes and encodes images.  Both libraries report errors without exceptions: libpng by longjmp,
// so the functions that call it have no objects that need a destructor.
#include "vitro/images/file.h"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/base/lower_case.h"
#include "vitro/ops/create.h"
#include "vitro/ops/view.h"
#include "vitro/report/output.h"

namespace vitro::images {
namespace {

constexpr size_t channels_read = 4;             // RGBA of both decoders
constexpr uint64_t largest_file = 1ull << 30;   // bytes
constexpr uint64_t largest_chunk = 8ull << 20;  // of a PNG, if it is not pixels
constexpr uint32_t largest_side = 1u << 20;

// RGBA, pixel by pixel, and how many channels the file has.
struct Pixels {
  int64_t height = 0, width = 0;
  int channels = 3;
  std::vector<uint8_t> rgba = {};
};

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
  int channels = 0, passes = 1;

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
  const int colours = png_get_color_type(read.png, read.info);
  const bool has_alpha = (colours & PNG_COLOR_MASK_ALPHA) != 0 ||
                         png_get_valid(read.png, read.info, PNG_INFO_tRNS) != 0;
  read.channels = ((colours & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1) + (has_alpha ? 1 : 0);
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

Result<Pixels> decode_png(std::string_view bytes) {
  PngRead read;
  read.data = bytes.data();
  read.left = bytes.size();
  read.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &read, png_failed, png_warned);
  read.info = read.png ? png_create_info_struct(read.png) : nullptr;
  if (!read.info) return Failure{"libpng cannot be used"};
  if (!png_begin(read)) return Failure{read.message};
  const std::string problem = problem_of_size(read.width, read.height);
  if (!problem.empty()) return Failure{problem};
  Pixels out{read.height, read.width, read.channels};
  out.rgba.resize(size_t{read.height} * read.width * channels_read);
  if (!png_pixels(read, out.rgba.data())) return Failure{read.message};
  return out;
}

// Pixels: u8 [height, width, channels].
std::string encode_with_libpng(const Tensor& pixels) {
  constexpr png_uint_32 formats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                     PNG_FORMAT_RGBA};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(pixels.size(0).value());
  image.width = static_cast<png_uint_32>(pixels.size(1).value());
  image.format = formats[pixels.size(2).value() - 1];
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  VITRO_CHECK(png_image_write_to_memory(&image, out.data(), &size, 0, pixels.const_data<uint8_t>(),
                                        0, nullptr) != 0,
              "encode_png: ", std::string_view(image.message));
  out.resize(size);
  return out;
}

// ---- JPEG

// CMYK to RGBA as PIL does: JPEG files have the inks inverted.
void convert_inks(std::vector<uint8_t>& pixels) {
  const auto product = [](uint32_t a, uint32_t b) {  // of parts of 255, rounded
    const uint32_t twice = a * b + 128;
    return ((twice >> 8) + twice) >> 8;
  };
  for (size_t i = 0; i < pixels.size(); i += channels_read) {
    const uint32_t light = pixels[i + 3];
    for (size_t c = 0; c < 3; ++c)
      pixels[i + c] = static_cast<uint8_t>(light - product(255u - pixels[i + c], light));
    pixels[i + 3] = 0xff;
  }
}

Result<Pixels> decode_jpeg(std::string_view bytes) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(), tjDestroy);
  if (!decoder) return Failure{"TurboJPEG cannot be used"};
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(decoder.get(), data, bytes.size(), &width, &height, &subsampling,
                          &colours) != 0)
    return Failure{tjGetErrorStr2(decoder.get())};
  const std::string problem = problem_of_size(width, height);
  if (!problem.empty()) return Failure{problem};
  Pixels out{height, width, colours == TJCS_GRAY ? 1 : 3};
  out.rgba.resize(size_t(height) * size_t(width) * channels_read);
  const bool has_inks = colours == TJCS_CMYK || colours == TJCS_YCCK;
  // Also a warning is an error here: after one, pixels are made up.
  if (tjDecompress2(decoder.get(), data, bytes.size(), out.rgba.data(), width, 0, height,
                    has_inks ? TJPF_CMYK : TJPF_RGBA, TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS) != 0)
    return Failure{tjGetErrorStr2(decoder.get())};
  if (has_inks) convert_inks(out.rgba);
  return out;
}

std::string encode_with_turbojpeg(const Tensor& pixels, int quality) {
  const std::unique_ptr<void, int (*)(tjhandle)> encoder(tjInitCompress(), tjDestroy);
  VITRO_CHECK(encoder, "encode_jpeg: TurboJPEG cannot be used");
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const auto height = static_cast<int>(pixels.size(0).value());
  const auto width = static_cast<int>(pixels.size(1).value());
  const bool is_grey = pixels.size(2).value() == 1;
  const int failed = tjCompress2(encoder.get(), pixels.const_data<uint8_t>(), width, 0, height,
                                 is_grey ? TJPF_GRAY : TJPF_RGB, &bytes, &size,
                                 is_grey ? TJSAMP_GRAY : TJSAMP_420, quality, TJFLAG_ACCURATEDCT);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(bytes, tjFree);
  VITRO_CHECK(failed == 0, "encode_jpeg: ", std::string_view(tjGetErrorStr2(encoder.get())));
  return {reinterpret_cast<const char*>(bytes), size};
}

// ---- both

uint8_t grey_of(const uint8_t* rgb) {
  return static_cast<uint8_t>((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000u) >> 16);
}

// One plane for each channel.
Tensor planes_of(const Pixels& image, int channels) {
  const Tensor out = Tensor::empty({channels, image.height, image.width}, DType::u8);
  const size_t count = image.rgba.size() / channels_read;
  const uint8_t* const rgba = image.rgba.data();
  uint8_t* into = out.data<uint8_t>();
  if (channels < 3)
    for (size_t i = 0; i < count; ++i) *into++ = grey_of(rgba + i * channels_read);
  const size_t end = channels == 3 ? 3 : channels_read;
  for (size_t c = channels < 3 ? 3 : 0; c < end && channels > 1; ++c)
    for (size_t i = 0; i < count; ++i) *into++ = rgba[i * channels_read + c];
  return out;
}

// The channels of each pixel side by side: [height, width, channels].
Tensor interleaved(const Tensor& image) {
  return contiguous(permute(image, {1, 2, 0}));
}

void check_encoded(const char* function, const Tensor& image, int64_t most_channels) {
  VITRO_CHECK(image.dtype() == DType::u8 && image.rank() == 3, function,
              ": needs u8 [channels, height, width], got ", image.dtype(), image.sizes());
  const int64_t channels = image.size(0).value();
  VITRO_CHECK(channels >= 1 && channels <= most_channels && (most_channels == 4 || channels != 2),
              function, ": needs ", most_channels == 4 ? "1 to 4" : "1 or 3", " channels, got ",
              image.dtype(), image.sizes());
  const std::string problem = problem_of_size(image.size(2).value(), image.size(1).value());
  VITRO_CHECK(problem.empty(), function, ": the image ", problem);
}

void write_bytes(const std::string& path, std::string_view bytes) {
  const std::unique_ptr<report::Output> file = report::create_file(path);
  file->write(bytes);
  file->finish();
}

bool begins_with(std::string_view bytes, std::initializer_list<unsigned char> magic) {
  return bytes.size() >= magic.size() &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](unsigned char a, char b) { return a == static_cast<unsigned char>(b); });
}

}  // namespace

bool is_image(std::string_view path) {
  const std::string ending = lower_case(path.substr(std::min(path.rfind('.'), path.size())));
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

Result<Tensor> decode_image(std::string_view bytes, const std::string& name, int channels) {
  VITRO_CHECK(channels == 0 || channels == 1 || channels == 3 || channels == 4,
              "decode_image: got ", channels,
              " channels, needs 1 (grey), 3 (RGB), 4 (RGBA) or 0 (those of the file)");
  const bool png = begins_with(bytes, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
  if (!png && !begins_with(bytes, {0xff, 0xd8, 0xff}))
    return Failure{cat(name, ": is neither PNG nor JPEG")};
  const Result<Pixels> out = png ? decode_png(bytes) : decode_jpeg(bytes);
  if (!out) return Failure{cat(name, ": ", png ? "PNG: " : "JPEG: ", out.why())};
  return planes_of(*out, channels == 0 ? out->channels : channels);
}

Result<Tensor> read_image(const std::string& path, int channels) {
  std::error_code problem;
  const auto kind = std::filesystem::status(path, problem).type();
  if (kind == std::filesystem::file_type::not_found)
    return Failure{cat(path, ": there is no such file")};
  if (kind == std::filesystem::file_type::none)
    return Failure{cat(path, ": cannot be read: ", problem.message())};
  if (kind != std::filesystem::file_type::regular) return Failure{cat(path, ": is not a file")};
  const uint64_t size = std::filesystem::file_size(path, problem);
  if (problem) return Failure{cat(path, ": cannot be read: ", problem.message())};
  if (size > largest_file)
    return Failure{
        cat(path, ": has ", size, " bytes; images of up to ", largest_file, " bytes are read")};
  if (size == 0) return Failure{cat(path, ": is empty")};
  std::string bytes(size, '\0');
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    return Failure{
        cat(path, ": cannot be read: ", errno != 0 ? std::strerror(errno) : "it became shorter")};
  return decode_image(bytes, path, channels);
}

std::string encode_png(const Tensor& image) {
  check_encoded("encode_png", image, 4);
  return encode_with_libpng(interleaved(image));
}

std::string encode_jpeg(const Tensor& image, int quality) {
  check_encoded("encode_jpeg", image, 3);
  VITRO_CHECK(quality >= 1 && quality <= 100, "encode_jpeg: got quality ", quality,
              ", needs 1 to 100");
  return encode_with_turbojpeg(interleaved(image), quality);
}

void write_png(const std::string& path, const Tensor& image) {
  write_bytes(path, encode_png(image));
}

void write_jpeg(const std::string& path, const Tensor& image, int quality) {
  write_bytes(path, encode_jpeg(image, quality));
}

}  // namespace vitro::images
