// Image files: the pixels that PIL reads, what is written is read again, and damaged files are
// refused.
#include "vitro/images/file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "damaged.h"
#include "error_of.h"
#include "images/samples.h"
#include "vitro/base/cat.h"
#include "vitro/ops/all.h"

namespace vitro::images {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void expect_same(const Tensor& got, const Tensor& wanted, const std::string& what) {
  ASSERT_EQ(cat(got.dtype(), got.sizes()), cat(wanted.dtype(), wanted.sizes())) << what;
  EXPECT_EQ(got.to_vector<uint8_t>(), wanted.to_vector<uint8_t>()) << what;
}

TEST(ImageFile, has_the_pixels_that_pil_reads) {
  size_t files = 0;
  for (const auto& [name, wanted] : made_by_pil()) {
    const size_t dot = name.find('.');
    const std::string stem = name.substr(0, dot), kind = name.substr(dot + 1);
    if (kind != "rgb" && kind != "grey") continue;
    const std::string file = stem.ends_with("_jpg") ? cat(stem.substr(0, stem.size() - 4), ".jpg")
                                                    : cat(std::string_view(stem), ".png");
    expect_same(interleaved(sample(file, kind == "rgb" ? 3 : 1)), wanted, name);
    ++files;
  }
  EXPECT_GT(files, 11U);
  expect_same(sample("interlaced.png"), sample("rgb.png"), "interlaced");
}

TEST(ImageFile, has_its_own_channels_unless_others_are_asked_for) {
  const auto sizes = [](const std::string& name) { return cat(sample(name, 0).sizes()); };
  EXPECT_EQ(sizes("grey.png"), "[1, 22, 31]");
  EXPECT_EQ(sizes("grey.jpg"), "[1, 22, 31]");
  EXPECT_EQ(sizes("grey_alpha.png"), "[2, 22, 31]");
  EXPECT_EQ(sizes("palette.png"), "[3, 22, 31]");
  EXPECT_EQ(sizes("colour.jpg"), "[3, 22, 31]");
  EXPECT_EQ(sizes("rgba.png"), "[4, 22, 31]");
  const Tensor rgba = sample("rgba.png", 4), grey = sample("grey_alpha.png", 0);
  expect_same(slice(rgba, 0, 0, 3), sample("rgb.png"), "colours beside alpha");
  expect_same(slice(rgba, 0, 3, 4), 255 - slice(rgba, 0, 0, 1), "alpha");
  expect_same(slice(grey, 0, 0, 1), sample("grey.png", 1), "grey beside alpha");
  expect_same(slice(grey, 0, 1, 2), slice(rgba, 0, 3, 4), "alpha of grey");
  expect_same(slice(sample("rgb.png", 4), 0, 3, 4), full({1, 22, 31}, 255, DType::u8), "opaque");
  EXPECT_EQ(error_of([] { sample("rgb.png", 5); }),
            "decode_image: got 5 channels, needs 1 (grey), 3 (RGB), 4 (RGBA) or 0 (those of the "
            "file)");
}

TEST(ImageFile, png_is_read_as_it_was_written) {
  const Folder folder("png");
  const Tensor rgba = sample("rgba.png", 4);
  for (int64_t channels = 1; channels <= 4; ++channels) {
    const Tensor image = slice(rgba, 0, 0, channels);  // not contiguous along the channels
    write_png(folder / "x.png", flip(image, {-1}));
    expect_same(read_image(folder / "x.png").value(), flip(image, {-1}), cat(channels));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), 1);
}

TEST(ImageFile, jpeg_is_close_to_what_was_written) {
  const Folder folder("jpeg");
  const Tensor smooth = to(reshape(arange(3 * 32 * 24), {3, 32, 24}) / 12, DType::u8);
  write_jpeg(folder / "x.jpg", smooth, 95);
  const Tensor back = to(read_image(folder / "x.jpg").value(), DType::f32);
  EXPECT_EQ(cat(back.sizes()), "[3, 32, 24]");
  EXPECT_LT(amax(abs(back - to(smooth, DType::f32))).item<float>(), 6);
  const Tensor grey = slice(smooth, 0, 0, 1);
  EXPECT_EQ(cat(decode_image(encode_jpeg(grey), "x").value().sizes()), "[1, 32, 24]");
  EXPECT_LT(encode_jpeg(smooth, 20).size(), encode_jpeg(smooth, 95).size());
}

TEST(ImageFile, what_is_not_an_image_cannot_be_written) {
  const Tensor image = sample();
  EXPECT_EQ(error_of([&] { encode_png(to(image, DType::f32)); }),
            "encode_png: needs u8 [channels, height, width], got f32[3, 22, 31]");
  EXPECT_EQ(error_of([&] { encode_png(vitro::cat({image, image})); }),
            "encode_png: needs 1 to 4 channels, got u8[6, 22, 31]");
  EXPECT_EQ(error_of([&] { encode_jpeg(slice(image, 0, 0, 2)); }),
            "encode_jpeg: needs 1 or 3 channels, got u8[2, 22, 31]");
  EXPECT_EQ(error_of([&] { encode_jpeg(image, 101); }),
            "encode_jpeg: got quality 101, needs 1 to 100");
  EXPECT_EQ(error_of([&] { encode_png(zeros({1, 0, 5}, DType::u8)); }),
            "encode_png: the image has 5 x 0 pixels; images of 1 to 134217728 pixels are read");
  EXPECT_EQ(error_of([&] { write_png("/proc/none/x.png", image); }),
            "/proc/none/x.png: cannot be created: No such file or directory");
}

TEST(ImageFile, what_cannot_be_read_says_why) {
  const Folder folder("unreadable");
  const auto why = [&](const std::string& path) { return read_image(path).why(); };
  EXPECT_EQ(why("none.png"), "none.png: there is no such file");
  EXPECT_EQ(why(folder.path.string()), cat(folder.path.string(), ": is not a file"));
  const std::string empty = folder.add_text("empty.png", "");
  EXPECT_EQ(why(empty), cat(std::string_view(empty), ": is empty"));
  const std::string text = folder.add_text("text.png", "not an image");
  EXPECT_EQ(why(text), cat(std::string_view(text), ": is neither PNG nor JPEG"));
  fs::create_symlink("loop.png", folder / "loop.png");
  EXPECT_EQ(why(folder / "loop.png"),
            cat(folder / "loop.png", ": cannot be read: Too many levels of symbolic links"));
  const std::string closed = folder.add("closed.png");
  fs::permissions(closed, fs::perms::none);
  const AsNobody nobody;
  EXPECT_EQ(why(closed), cat(std::string_view(closed), ": cannot be read: Permission denied"));
}

// A header that promises 2^38 pixels.
TEST(ImageFile, sizes_are_limited_before_memory_is_allocated) {
  std::string bytes = bytes_of(sample_path("rgb.png"));
  const char header[] = "\x00\x08\x00\x00\x00\x08\x00\x00\x08\x02\x00\x00\x00\x61\x00\x86\x0e";
  bytes.replace(16, sizeof header - 1, header, sizeof header - 1);
  const Result<Tensor> found = decode_image(bytes, "x.png");
  ASSERT_FALSE(found);
  EXPECT_TRUE(found.why().starts_with("x.png: PNG: has 524288 x 524288 pixels")) << found.why();
  // JPEG: 65500 x 65500, in the header of the frame.
  std::string photo = bytes_of(sample_path("colour.jpg"));
  const size_t frame = photo.find("\xff\xc0");
  ASSERT_NE(frame, photo.npos);
  photo.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_TRUE(decode_image(photo, "x.jpg").why().starts_with("x.jpg: JPEG: has 65500 x 65500"));
}

TEST(ImageFile, damaged_files_are_refused_or_whole) {
  std::mt19937 random(7);
  for (const auto& entry : fs::directory_iterator(sample_path(""))) {
    if (!is_image(entry.path().string())) continue;
    const std::string bytes = bytes_of(entry.path().string());
    for (int i = 0; i < 300; ++i) {
      const int channels = 1 + 2 * (i % 2);
      const Result<Tensor> found = decode_image(damaged(bytes, random), "x", channels);
      EXPECT_TRUE(!found || found->size(0) == channels);
    }
    for (size_t size = 0; size < bytes.size(); size += 7)
      EXPECT_FALSE(decode_image(bytes.substr(0, size), "x", 3)) << entry.path() << " " << size;
  }
}

}  // namespace
}  // namespace vitro::images
