// Compiled functions whose convolutions run by Winograd's algorithm: the option that forbids it,
// numbers of images that vary, weights that change, and elements that are not finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

struct Layers {
  Tensor w = nn::normal({64, 64, 3, 3}, 0, 0.06), last = nn::normal({16, 64, 1, 1}, 0, 0.2);
  Layers() {
    w.set_parameter(true);
    last.set_parameter(true);
  }
  Tensor operator()(const Tensor& x) const {
    return conv2d(relu(conv2d(x, w, {}, {.padding = {1, 1}})), last);
  }
};

std::vector<float> values(const Tensor& t) {
  return contiguous(t).to_vector<float>();
}

void expect_near(const Tensor& got, const Tensor& want) {
  EXPECT_EQ(cat(got.sizes(), got.strides()), cat(want.sizes(), want.strides()));
  const double root = std::sqrt(mean(mul(want, want)).item<double>());
  EXPECT_LE(amax(abs(sub(got, want))).item<double>(), 5e-5 * root);
}

TEST(WinogradCall, has_other_bits_only_without_the_option_exact) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  const Tensor x = nn::normal({2, 64, 30, 31}, 0, 1), want = model(x);
  const Tensor got = compile(model)(x);
  EXPECT_NE(values(got), values(want));
  expect_near(got, want);
  EXPECT_EQ(values(compile(model, {.exact = true})(x)), values(want));
}

TEST(WinogradCall, takes_any_number_of_images) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  auto fast = compile(model);
  for (const int64_t images : {1, 3, 2, 7, 1}) {
    const Tensor x = nn::normal({images, 64, 28, 27}, 0, 1);
    const Tensor got = fast(x), want = model(x);
    EXPECT_NE(values(got), values(want)) << images;
    expect_near(got, want);
  }
  const Tensor none = Tensor::empty({0, 64, 28, 27});
  EXPECT_EQ(cat(fast(none).sizes()), cat(model(none).sizes()));
}

TEST(WinogradCall, needs_images_of_a_known_size) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  auto fast = compile(model, {.dynamic = true});
  const Tensor x = nn::normal({2, 64, 28, 27}, 0, 1);
  EXPECT_EQ(values(fast(x)), values(model(x)));
}

TEST(WinogradCall, notices_that_a_weight_has_changed) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  auto fast = compile(model);
  const Tensor x = nn::normal({1, 64, 32, 32}, 0, 1);
  for (int call = 0; call < 3; ++call) {
    expect_near(fast(x), model(x));
    Tensor w = layers.w;
    mul_(w, -0.5);
  }
}

TEST(WinogradCall, of_halves_has_the_bits_of_eager) {
  init();
  Layers layers;
  layers.w = to(layers.w, DType::bf16);
  layers.last = to(layers.last, DType::bf16);
  layers.w.set_parameter(true);
  layers.last.set_parameter(true);
  const auto model = [&](const Tensor& x) { return layers(x); };
  const Tensor x = to(nn::normal({1, 64, 32, 32}, 0, 1), DType::bf16);
  EXPECT_EQ(values(to(compile(model)(x), DType::f32)), values(to(model(x), DType::f32)));
}

// An element reaches its windows and the rest of their tiles, of at most 4 x 4 positions.
TEST(WinogradCall, keeps_what_is_not_finite_and_far_positions_finite) {
  init();
  const Layers layers;
  const auto model = [&](const Tensor& x) { return layers(x); };
  auto fast = compile(model);
  for (const float odd : {INFINITY, -INFINITY, NAN}) {
    Tensor x = nn::normal({1, 64, 32, 32}, 0, 1);
    x.data<float>()[(5 * 32 + 14) * 32 + 17] = odd;
    const std::vector<float> got = values(fast(x)), want = values(model(x));
    for (int64_t i = 0; i < static_cast<int64_t>(want.size()); ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t row = i / 32 % 32, column = i % 32;
      const int64_t away = std::max(std::abs(row - 14), std::abs(column - 17));
      if (!std::isfinite(want[at])) {
        EXPECT_FALSE(std::isfinite(got[at])) << i;
      }
      if (away > 5) {
        EXPECT_NEAR(got[at], want[at], 1e-3) << i;
      }
    }
  }
}

}  // namespace
}  // namespace vitro
