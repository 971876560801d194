// Functions of images against PIL and torchvision.
#include "vitro/images/functional.h"

#include <gtest/gtest.h>

#include <charconv>
#include <map>

#include "error_of.h"
#include "images/samples.h"
#include "vitro/base/cat.h"
#include "vitro/ops/all.h"

namespace vitro::images {
namespace {

// The numbers of "8x11".
ImageSize size_in(std::string_view text) {
  ImageSize out = 0;
  const size_t x = text.find('x');
  std::from_chars(text.data(), text.data() + x, out.height);
  std::from_chars(text.data() + x + 1, text.data() + text.size(), out.width);
  return out;
}

// The largest difference.
double distance(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(cat(a.dtype(), a.sizes()), cat(b.dtype(), b.sizes()));
  if (!(a.sizes() == b.sizes())) return INFINITY;
  return amax(abs(to(a, DType::f64) - to(b, DType::f64))).item<double>();
}

TEST(Functional, resizes_and_crops_as_pil_does) {
  size_t found = 0;
  for (const auto& [name, wanted] : made_by_pil()) {
    const std::string_view numbers = std::string_view(name).substr(name.rfind('.') + 1);
    Tensor got;
    if (name.starts_with("resize."))
      got = resize(sample(), size_in(numbers),
                   name.find("bicubic") != name.npos ? InterpolationMode::bicubic
                                                     : InterpolationMode::bilinear);
    else if (name.starts_with("crop."))
      got = center_crop(sample(), size_in(numbers));
    else
      continue;
    EXPECT_EQ(distance(interleaved(got), wanted), 0) << name;
    ++found;
  }
  EXPECT_EQ(found, 15U);
}

std::map<std::string, Tensor> calls(const Tensor& image) {
  const auto bilinear = InterpolationMode::bilinear;
  const Padding border{3, 1, 2, 4};
  std::map<std::string, Tensor> out{
      {"hflip", hflip(image)},
      {"vflip", vflip(image)},
      {"crop", crop(image, -2, -3, 10, 40)},
      {"pad", pad(image, border, 1)},
      {"pad_edge", pad(image, border, 0, PaddingMode::edge)},
      {"pad_reflect", pad(image, border, 0, PaddingMode::reflect)},
      {"pad_symmetric", pad(image, border, 0, PaddingMode::symmetric)},
      {"erase", erase(image, 2, 3, 5, 7, {1, 0, 1})},
      {"rotate", rotate(image, 30, {.fill = 1})},
      {"rotate_bilinear", rotate(image, -100, {.interpolation = bilinear, .center = {{3, 20}}})},
      {"rotate_expand", rotate(image, 25, {.expand = true})},
      {"affine",
       affine(image, {.angle = 20, .translate = {3, -2}, .scale = 1.5, .shear = {10, -5}})},
      {"affine_bilinear", affine(image, {.angle = -35,
                                         .translate = {-1, 4},
                                         .scale = 0.7,
                                         .shear = {0, 15},
                                         .interpolation = bilinear,
                                         .fill = 1})},
      {"grey", rgb_to_grayscale(image)},
      {"grey3", rgb_to_grayscale(image, 3)}};
  for (const auto& [name, factor] : {std::pair("0.0", 0.0), {"0.4", 0.4}, {"1.7", 1.7}}) {
    out[cat("adjust_brightness.", name)] = adjust_brightness(image, factor);
    out[cat("adjust_contrast.", name)] = adjust_contrast(image, factor);
    out[cat("adjust_saturation.", name)] = adjust_saturation(image, factor);
  }
  for (const auto& [name, factor] :
       {std::pair("-0.5", -0.5), {"-0.2", -0.2}, {"0.1", 0.1}, {"0.45", 0.45}})
    out[cat("adjust_hue.", name)] = adjust_hue(image, factor);
  return out;
}

TEST(Functional, images_of_u8_are_those_of_torchvision) {
  for (const auto& [name, got] : calls(sample()))
    EXPECT_EQ(distance(got, made_by_torchvision(cat("u8.", std::string_view(name)))), 0) << name;
  for (const char* size : {"9x14", "40x33"})
    EXPECT_EQ(distance(resize(sample(), size_in(size), InterpolationMode::nearest),
                       made_by_torchvision(cat("u8.resize_nearest.", size))),
              0);
}

// Ours sums weights in f64 or in another order: the last bits differ.
TEST(Functional, images_of_f32_are_close_to_those_of_torchvision) {
  const Tensor image = made_by_torchvision("f32.image");
  for (const auto& [name, got] : calls(image))
    EXPECT_LE(distance(got, made_by_torchvision(cat("f32.", std::string_view(name)))), 2e-6)
        << name;
  for (const char* size : {"5x9", "20x17"}) {
    EXPECT_LE(distance(resize(image, size_in(size)),
                       made_by_torchvision(cat("f32.resize_bilinear.", size))),
              1e-6);
    EXPECT_LE(distance(resize(image, size_in(size), InterpolationMode::bicubic),
                       made_by_torchvision(cat("f32.resize_bicubic.", size))),
              1e-6);
  }
}

TEST(Functional, dtypes_and_normalisation_are_those_of_torchvision) {
  EXPECT_EQ(distance(convert_image_dtype(sample()), made_by_torchvision("f32.convert")), 0);
  const Tensor image = made_by_torchvision("f32.image");
  EXPECT_EQ(
      distance(convert_image_dtype(image * 0.7, DType::u8), made_by_torchvision("u8.convert")), 0);
  EXPECT_EQ(distance(normalize(image, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}),
                     made_by_torchvision("f32.normalize")),
            0);
  // There and back.
  const Tensor all = reshape(to(arange(256), DType::u8), {1, 16, 16});
  EXPECT_EQ(distance(convert_image_dtype(convert_image_dtype(all), DType::u8), all), 0);
}

TEST(Functional, batches_and_other_dtypes_are_changed_alike) {
  const Tensor one = sample(), other = hflip(one);
  const Tensor both = stack({one, other});
  const auto expect_alike = [&](auto change) {
    EXPECT_EQ(distance(change(both), stack({change(one), change(other)})), 0);
  };
  expect_alike([](const Tensor& x) { return resize(x, {9, 14}); });
  expect_alike([](const Tensor& x) { return center_crop(x, 12); });
  expect_alike([](const Tensor& x) { return rotate(x, 20); });
  expect_alike([](const Tensor& x) { return adjust_hue(x, 0.2); });
  expect_alike([](const Tensor& x) { return adjust_contrast(x, 0.2); });
  expect_alike([](const Tensor& x) { return rgb_to_grayscale(x, 3); });
  const Tensor floating = convert_image_dtype(one);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f64}) {
    const Tensor x = to(floating, dtype);
    const double tolerance = dtype == DType::f64 ? 1e-6 : 1e-2;
    for (const auto& change : {+[](const Tensor& t) { return resize(t, {9, 14}); },
                               +[](const Tensor& t) { return rotate(t, 20); },
                               +[](const Tensor& t) { return pad(t, 2, 0.5); },
                               +[](const Tensor& t) { return adjust_hue(t, 0.1); }})
      EXPECT_LE(distance(to(change(x), DType::f32), change(floating)), tolerance) << cat(dtype);
  }
}

TEST(Functional, one_number_is_the_shorter_side_of_resize_and_both_of_a_crop) {
  EXPECT_EQ(cat(resize(sample(), 16).sizes()), "[3, 16, 22]");  // int(16 * 31 / 22)
  EXPECT_EQ(cat(resize(transpose(sample(), 1, 2), 16).sizes()), "[3, 22, 16]");
  EXPECT_EQ(cat(center_crop(sample(), 16).sizes()), "[3, 16, 16]");
  EXPECT_EQ(cat(resized_crop(sample(), 1, 2, 9, 8, {4, 5}).sizes()), "[3, 4, 5]");
  EXPECT_EQ(distance(pad(sample(), {-2, -3}), crop(sample(), 3, 2, 16, 27)), 0);
}

TEST(Functional, what_does_not_fit_is_an_error) {
  const Tensor x = sample(), f = convert_image_dtype(x);
  for (const auto& [message, part] : std::vector<std::pair<std::string, std::string>>{
           {error_of([&] { resize(select(x, 0, 0), 8); }),
            "resize: needs an image [..., channels, height, width], got u8[22, 31]"},
           {error_of([&] { resize(x, 0); }), "resize: needs sizes of 1 or more, got 0 x 0"},
           {error_of([&] { resize(x, {65536, 65536}); }), "which is more than 134217728"},
           {error_of([&] { resize(to(x, DType::i32), 8); }), "needs u8 or floating point, got i32"},
           {error_of([&] { resize(slice(x, 1, 0, 0), 8); }), "resize: the image has no pixels"},
           {error_of([&] { center_crop(x, 1 << 20); }), "crop: makes 1048576 x 1048576 pixels"},
           {error_of([&] { crop(x, 0, 0, 0, 3); }), "crop: needs sizes of 1 or more, got 0 x 3"},
           {error_of([&] { pad(x, 22, 0, PaddingMode::reflect); }),
            "pad: needs at most 21 mirrored pixels at each end of a side of 22, got 22 and 22"},
           {error_of([&] { pad(x, -11); }), "pad: nothing is left of a side of 22"},
           {error_of([&] { erase(x, 20, 0, 3, 1, {0}); }),
            "erase: a part of 3 x 1 at (20, 0) lies outside [3, 22, 31]"},
           {error_of([&] { erase(x, 0, 0, 1, 1, {0, 1}); }), "needs 1 or 3 numbers for value"},
           {error_of([&] { rotate(x, 3, {.interpolation = InterpolationMode::bicubic}); }),
            "rotate: needs the interpolation nearest or bilinear"},
           {error_of([&] { affine(x, {.scale = 0}); }), "affine: needs a scale above 0, got 0"},
           {error_of([&] { rgb_to_grayscale(slice(x, 0, 0, 2)); }),
            "rgb_to_grayscale: needs 1 or 3 channels, got u8[2, 22, 31]"},
           {error_of([&] { adjust_brightness(x, -1); }),
            "adjust_brightness: needs a factor of 0 or more, got -1"},
           {error_of([&] { adjust_hue(x, 0.6); }), "adjust_hue: needs -0.5 to 0.5, got 0.6"},
           {error_of([&] { convert_image_dtype(x, DType::i32); }),
            "convert_image_dtype: converts between u8 and floating point, got u8 and i32"},
           {error_of([&] { normalize(x, {0}, {1}); }),
            "normalize: needs floating point [..., channels, height, width], got u8[3, 22, 31]; "
            "convert_image_dtype() makes it of u8"},
           {error_of([&] { normalize(f, {0, 1}, {1}); }), "needs 1 or 3 numbers for mean"},
           {error_of([&] { normalize(f, {0}, {0}); }), "needs numbers other than 0 for std"}})
    EXPECT_NE(message.find(part), std::string::npos) << message << " has not: " << part;
}

}  // namespace
}  // namespace vitro::images
