// Transforms: what they draw, that they repeat, and their errors.
#include "vitro/images/transforms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "error_of.h"
#include "images/samples.h"
#include "vitro/base/cat.h"
#include "vitro/datasets/loader.h"
#include "vitro/images/folder.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/rearrange.h"

namespace vitro::images {
namespace {

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         to(a, DType::f64).to_vector<double>() == to(b, DType::f64).to_vector<double>();
}

// Each pixel has another value: the place in the image, from 0 to 767.
Tensor numbered() {
  return reshape(arange(24 * 32, DType::f32), {1, 24, 32});
}
int64_t pixel(const Tensor& image, int64_t y, int64_t x) {
  return static_cast<int64_t>(select(select(select(image, 0, 0), 0, y), 0, x).item<float>());
}

TEST(Transforms, compose_calls_one_after_the_other_and_keeps_other_fields) {
  const Compose chain{CenterCrop(16), [](const Tensor& x) { return x + 1.0; },
                      [](const Tensor& x, data::Random& random) { return x * random.uniform(); }};
  data::Random random(1, 2), again(1, 2);
  const Tensor got = chain(numbered(), random);
  EXPECT_TRUE(same(got, (center_crop(numbered(), 16) + 1.0) * again.uniform()));
  const Tensor label = Tensor::from<int64_t>({7}, {});
  const data::Sample sample = chain({numbered(), label}, again);
  EXPECT_EQ(sample.size(), 2U);
  EXPECT_EQ(sample[1].item<int64_t>(), 7);
}

TEST(Transforms, flips_and_others_happen_with_their_probability) {
  const Tensor image = sample();
  const auto share = [&](const Transform& transform) {
    int changed = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
      data::Random random(5, i);
      changed += !same(transform(image, random), image);
    }
    return changed / 1000.0;
  };
  // 1000 draws have a deviation of at most 0.016.
  EXPECT_NEAR(share(RandomHorizontalFlip()), 0.5, 0.06);
  EXPECT_NEAR(share(RandomVerticalFlip(0.2)), 0.2, 0.06);
  EXPECT_NEAR(share(RandomGrayscale()), 0.1, 0.06);
  EXPECT_NEAR(share(RandomErasing({.p = 0.3})), 0.3, 0.06);
  EXPECT_NEAR(share(RandomApply(Transform(Pad(2)), 0.7)), 0.7, 0.06);
  EXPECT_EQ(share(RandomHorizontalFlip(0)), 0);
  EXPECT_EQ(share(RandomHorizontalFlip(1)), 1);
  data::Random random(1, 1);
  EXPECT_TRUE(same(RandomHorizontalFlip(1)(sample(), random), hflip(sample())));
  EXPECT_TRUE(same(RandomVerticalFlip(1)(sample(), random), vflip(sample())));
}

TEST(Transforms, random_crop_takes_each_place) {
  const RandomCrop crop_of({22, 29});
  std::set<int64_t> corners;
  for (uint64_t i = 0; i < 300; ++i) {
    data::Random random(3, i);
    const Tensor part = crop_of(numbered(), random);
    ASSERT_EQ(cat(part.sizes()), "[1, 22, 29]");
    const int64_t corner = pixel(part, 0, 0);
    EXPECT_TRUE(same(part, crop(numbered(), corner / 32, corner % 32, 22, 29)));
    corners.insert(corner);
  }
  EXPECT_EQ(corners.size(), 12U);  // 3 x 4 places
  data::Random random(1, 1);
  EXPECT_EQ(cat(RandomCrop(32, {.padding = 4})(numbered(), random).sizes()), "[1, 32, 32]");
  EXPECT_EQ(cat(RandomCrop(40, {.pad_if_needed = true})(numbered(), random).sizes()),
            "[1, 40, 40]");
  EXPECT_EQ(error_of([&] { RandomCrop(32)(numbered(), random); }),
            "RandomCrop: needs 32 x 32 pixels (height x width), the image has 24 x 32; give "
            "padding, pad_if_needed, or Resize it");
}

TEST(Transforms, random_resized_crop_draws_areas_and_ratios_in_their_ranges) {
  // Images of 1000 x 1000 of which only the sizes matter: a crop is found by its corners.
  const Tensor image = reshape(arange(1000 * 1000, DType::f64), {1, 1000, 1000});
  const RandomResizedCrop crop_of(
      {2, 2}, {.scale = {0.2, 0.5}, .interpolation = InterpolationMode::nearest});
  double least = 1, most = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    data::Random random(3, i);
    // The pixels at a quarter and three quarters of each side.
    const std::vector<double> at = crop_of(image, random).to_vector<double>();
    const double width = 2 * (at[1] - at[0]), height = 2 * (at[2] - at[0]) / 1000;
    const double part = width * height / 1e6;
    least = std::min(least, part);
    most = std::max(most, part);
    EXPECT_GT(width / height, 0.745);
    EXPECT_LT(width / height, 1.345);
  }
  EXPECT_GT(least, 0.198);
  EXPECT_LT(least, 0.23);
  EXPECT_LT(most, 0.503);
  EXPECT_GT(most, 0.47);
  // If no such part fits, the largest in the middle.
  data::Random random(1, 1);
  const RandomResizedCrop wide({1, 8}, {.scale = {1, 1}, .ratio = {8, 8}});
  EXPECT_TRUE(same(wide(numbered(), random), resized_crop(numbered(), 10, 0, 4, 32, {1, 8})));
}

TEST(Transforms, erasing_overwrites_a_part) {
  for (uint64_t i = 0; i < 50; ++i) {
    data::Random random(3, i), noisy(3, i);
    const Tensor erased = RandomErasing({.p = 1, .value = {-1}})(numbered(), random);
    const double part = sum(to(eq(erased, -1), DType::f32)).item<float>() / 768.0;
    EXPECT_GT(part, 0.01);
    EXPECT_LT(part, 0.36);
    // Others are as they were.
    EXPECT_TRUE(same(where(eq(erased, -1), numbered(), erased), numbered()));
    const Tensor noise = RandomErasing({.p = 1, .value = {}})(numbered(), noisy);
    EXPECT_TRUE(same(ne(noise, numbered()), eq(erased, -1)));
  }
}

TEST(Transforms, turned_and_jittered_images_are_those_of_the_functions) {
  data::Random random(4, 4), again(4, 4);
  const double angle = again.uniform(-30, 30);
  EXPECT_TRUE(same(RandomRotation(30)(sample(), random), rotate(sample(), angle)));
  EXPECT_TRUE(same(RandomAffine(0)(sample(), random), sample()));
  const RandomAffine moved(0, {.translate = {0.5, 0}});
  std::set<int64_t> shifts;
  for (uint64_t i = 0; i < 200; ++i) {
    data::Random numbers(3, i);
    shifts.insert(pixel(moved(numbered() + 1.0, numbers), 0, 16));
  }
  EXPECT_GE(shifts.size(), 25U);    // most of 33
  EXPECT_EQ(*shifts.rbegin(), 32);  // the last pixel of the row, from 15 to the right
  EXPECT_LE(*shifts.begin(), 2);    // 16 or 15 from the left, or outside
  const ColorJitter none({});
  EXPECT_TRUE(same(none(sample(), random), sample()));
  const ColorJitter hue({.hue = {0.2, 0.2}});
  EXPECT_TRUE(same(hue(sample(), random), adjust_hue(sample(), 0.2)));
  // Brightness and contrast do not commute: both orders occur, and nothing else.
  const ColorJitter two({.brightness = {2, 2}, .contrast = {0.5, 0.5}});
  const Tensor first = adjust_contrast(adjust_brightness(sample(), 2), 0.5);
  const Tensor second = adjust_brightness(adjust_contrast(sample(), 0.5), 2);
  int firsts = 0;
  for (uint64_t i = 0; i < 100; ++i) {
    data::Random numbers(3, i);
    const Tensor got = two(sample(), numbers);
    firsts += same(got, first);
    EXPECT_TRUE(same(got, first) || same(got, second));
  }
  EXPECT_GT(firsts, 25);
  EXPECT_LT(firsts, 75);
}

TEST(Transforms, batches_are_mixed_with_their_labels) {
  const Tensor images = reshape(arange(4 * 64, DType::f32), {4, 1, 8, 8});
  const Tensor labels = Tensor::from<int64_t>({0, 1, 2, 1}, {4});
  const Tensor before = roll(images, {1}, {0}), hot = to(one_hot(labels, 3), DType::f32);
  double least = 1, most = 0;
  for (uint64_t i = 0; i < 50; ++i) {
    data::Random random(3, i), numbers(3, i);
    const data::Sample mixed = MixUp{.num_classes = 3}({images, labels}, random);
    const double part = select(select(mixed[1], 0, 0), 0, 0).item<float>();  // of label 0
    least = std::min(least, part);
    most = std::max(most, part);
    EXPECT_TRUE(allclose(mixed[0], images * part + before * (1 - part)));
    EXPECT_TRUE(allclose(mixed[1], hot * part + roll(hot, {1}, {0}) * (1 - part)));
    const data::Sample cut = CutMix{.num_classes = 3}({images, labels}, numbers);
    const Tensor kept = eq(cut[0], images);
    EXPECT_TRUE(same(where(kept, images, before), cut[0]));
    const float share = mean(to(kept, DType::f32)).item<float>();
    EXPECT_TRUE(allclose(cut[1], hot * share + roll(hot, {1}, {0}) * (1 - share)));
  }
  EXPECT_LT(least, 0.2);
  EXPECT_GT(most, 0.8);
  // Beta(a, a) has the mean 1/2 and the variance 1 / (4 (2 a + 1)).
  for (const double alpha : {0.2, 1.0, 3.0}) {
    double sum = 0, squares = 0;
    const int count = 2000;
    for (int i = 0; i < count; ++i) {
      data::Random random(9, static_cast<uint64_t>(i));
      const data::Sample mixed = MixUp{.alpha = alpha}({zeros({2, 1, 1, 1}), eye(2)}, random);
      const double part = mixed[1].const_data<float>()[0];
      sum += part;
      squares += part * part;
    }
    const double mean_of = sum / count;
    EXPECT_NEAR(mean_of, 0.5, 0.03) << alpha;
    EXPECT_NEAR(squares / count - mean_of * mean_of, 1 / (4 * (2 * alpha + 1)), 0.01) << alpha;
  }
}

TEST(Transforms, repeat_with_any_number_of_workers) {
  const Folder root("repeat");
  for (int i = 0; i < 12; ++i) root.add(cat("abc"[i % 3], "/", i, ".png"), 20 * i);
  const ImageFolder folder(
      root.path.string(),
      {.transform = Compose{Resize({12, 10}), RandomCrop(8, {.padding = 2}), RandomHorizontalFlip(),
                            RandomRotation(20), ColorJitter({.brightness = 0.4, .hue = 0.1}),
                            ConvertImageDtype(), Normalize({0.5}, {0.5}), RandomErasing()}});
  const auto epochs = [&](int workers) {
    data::DataLoader loader(folder, {.batch_size = 4,
                                     .shuffle = true,
                                     .num_workers = workers,
                                     .seed = 3,
                                     .batch_transform = MixUp{.num_classes = 3}});
    std::vector<std::vector<float>> out;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const data::Sample& batch : loader) {
        out.push_back(batch[0].to_vector<float>());
        out.push_back(batch[1].to_vector<float>());
      }
    }
    return out;
  };
  const auto alone = epochs(0);
  EXPECT_EQ(alone.size(), 12U);
  EXPECT_NE(alone[0], alone[6]);
  EXPECT_NE(alone[1], alone[3]);
  for (const int workers : {1, 3}) EXPECT_EQ(epochs(workers), alone);
}

TEST(Transforms, options_out_of_range_are_errors) {
  data::Random random(1, 1);
  for (const auto& [message, part] : std::vector<std::pair<std::string, std::string>>{
           {error_of([] { RandomHorizontalFlip(1.5); }),
            "RandomHorizontalFlip: needs a probability from 0 to 1, got 1.5"},
           {error_of([] { RandomCrop(0); }), "RandomCrop: needs sizes of 1 or more, got 0 x 0"},
           {error_of([] { RandomResizedCrop(8, {.scale = {1, 0.5}}); }),
            "RandomResizedCrop: scale needs least and most, from 0.0 to inf, got 1.0 and 0.5"},
           {error_of([] { RandomErasing({.scale = {0, 2}}); }), "RandomErasing: scale needs"},
           {error_of([] { ColorJitter({.hue = 0.6}); }),
            "ColorJitter: hue needs least and most, from -0.5 to 0.5, got -0.6 and 0.6"},
           {error_of([] { RandomAffine(0, {.translate = {2, 0}}); }), "needs parts from 0 to 1"},
           {error_of([&] { Compose{Pad(1)}(data::Sample{}, random); }), "has no field"},
           {error_of([&] { MixUp{}({zeros({2, 1, 4, 4}), zeros({2}, DType::i64)}, random); }),
            "MixUp: needs num_classes, because labels are numbers"},
           {error_of([&] { MixUp{}({zeros({2, 1, 4, 4}, DType::u8), eye(2)}, random); }),
            "MixUp: needs images of floating point, got u8"},
           {error_of([&] { CutMix{3}({zeros({2, 1, 4, 4}), eye(2)}, random); }),
            "CutMix: needs labels for 3 classes, got [2, 2]"},
           {error_of([&] { CutMix{3}({zeros({2, 4, 4}), eye(2)}, random); }),
            "CutMix: needs a batch of images"}})
    EXPECT_NE(message.find(part), std::string::npos) << message << " has not: " << part;
}

}  // namespace
}  // namespace vitro::images
