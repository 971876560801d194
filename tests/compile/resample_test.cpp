// Pools of parts of different sizes, resizing and sampling: what compiled programs give, in how
// many kernels, and what functions without a name in ATen do.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "vitro/base/cat.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

Tensor numbers(const Sizes& sizes) {
  return reshape(to(sin(to(arange(product(sizes).value()), DType::f64) * 1.7) * 9, DType::f32),
                 sizes);
}

void expect_equal(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(cat(got.sizes()), cat(want.sizes()));
  ASSERT_EQ(got.dtype(), want.dtype());
  EXPECT_TRUE(all(eq(got, want)).item<bool>());
}

using Program = std::function<Tensor(const Tensor&)>;

// Expects the same bits from eager and compiled, and that many kernels in the compiled one.
void expect_kernels(const Program& program, const Tensor& x, int kernels) {
  auto fast = compile(program);
  expect_equal(fast(x), program(x));
  EXPECT_EQ(fast.report().segments[0].kernels, kernels);
}

// What is before and after is computed in the kernel that moves the elements. Where these are, and
// their weights, is computed for each dimension once; columns are interpolated before rows are.
TEST(Resample, fuses_with_what_is_around_it) {
  const auto expect_fused = [](const Program& resize, int kernels) {
    expect_kernels([resize](const Tensor& t) { return resize(t * 2) + 1; }, numbers({1, 2, 7, 9}),
                   kernels);
  };
  expect_fused([](const Tensor& t) { return upsample_nearest2d(t, {14, 20}); }, 1);
  expect_fused([](const Tensor& t) { return upsample_bilinear2d(t, {14, 20}, false); }, 4);
  expect_fused([](const Tensor& t) { return pixel_shuffle(reshape(t, {1, 18, 7, 1}), 3); }, 1);
  expect_fused([](const Tensor& t) { return pad(t, {1, 2, 3, 0}, "circular"); }, 2);
  expect_fused([](const Tensor& t) { return max_pool3d(t, 2); }, 1);
  expect_fused([](const Tensor& t) { return avg_pool3d(t, {1, 3, 3}, 1, {0, 1, 1}); }, 1);
}

TEST(Resample, sizes_that_vary_are_symbols) {
  const auto program = [](const Tensor& x) {
    const auto [largest, places] = adaptive_max_pool2d(x, {3, 4});
    return std::vector<Tensor>{adaptive_avg_pool2d(x, {3, 4}),
                               largest,
                               to(places, DType::f32),
                               upsample_bicubic2d(x, {7, 5}, true),
                               upsample_bilinear2d_aa(x, {3, 2}, false),
                               pad(x, {1, 2, 0, 1}, "circular")};
  };
  auto fast = compile(program);
  for (const int64_t n : {4, 5, 7, 13}) {
    const Tensor x = numbers({2, 3, n, n + 2});
    const std::vector<Tensor> got = fast(x), want = program(x);
    for (size_t i = 0; i < want.size(); ++i) expect_equal(got[i], want[i]);
  }
}

TEST(Resample, interpolate_chooses_the_op_of_its_mode) {
  const Tensor x = numbers({2, 3, 6, 8}), row = numbers({2, 3, 6}),
               volume = numbers({1, 2, 3, 4, 5});
  expect_equal(interpolate(row, {.size = 9}), upsample_nearest1d(row, 9));
  expect_equal(interpolate(x, {.scale_factor = {1.7, 0.6}}),
               upsample_nearest2d(x, {10, 4}, 1.7, 0.6));
  expect_equal(interpolate(x, {.scale_factor = {1.7}, .mode = "bilinear"}),
               upsample_bilinear2d(x, {10, 13}, false, 1.7, 1.7));
  expect_equal(
      interpolate(x, {.scale_factor = {1.7}, .mode = "bilinear", .recompute_scale_factor = true}),
      upsample_bilinear2d(x, {10, 13}, false));
  expect_equal(interpolate(x, {.size = {3, 4}, .mode = "bicubic", .antialias = true}),
               upsample_bicubic2d_aa(x, {3, 4}, false));
  expect_equal(interpolate(volume, {.size = {5, 4, 3}, .mode = "trilinear", .align_corners = true}),
               upsample_trilinear3d(volume, {5, 4, 3}, true));
  expect_equal(interpolate(volume, {.size = 2, .mode = "nearest-exact"}),
               upsample_nearest_exact3d(volume, {2, 2, 2}));
  expect_equal(interpolate(x, {.size = {4, 3}, .mode = "area"}), adaptive_avg_pool2d(x, {4, 3}));
}

TEST(Resample, grid_sample_names_the_modes) {
  const Tensor x = numbers({1, 2, 4, 5}), grid = numbers({1, 3, 3, 2}) / 8;
  expect_equal(grid_sample(x, grid), grid_sampler_2d(x, grid, 0, 0, false));
  expect_equal(grid_sample(x, grid, "nearest", "reflection", true),
               grid_sampler_2d(x, grid, 1, 2, true));
  // The grid of the identity gives x.
  const Tensor same = reshape(cat({ones({1}), zeros({3}), ones({1}), zeros({1})}), {1, 2, 3});
  const Tensor places = affine_grid_generator(same, {1, 2, 4, 5}, true);
  EXPECT_TRUE(all(abs(grid_sample(x, places, "bilinear", "border", true) - x) < 1e-4).item<bool>());
}

TEST(Resample, norms_of_windows_are_roots_of_sums_of_powers) {
  const Tensor x = abs(numbers({2, 3, 8}));
  const Tensor want = pow(sum(pow(unfold(x, 2, 2, 2), 3), {-1}), 1.0 / 3);
  EXPECT_TRUE(all(abs(lp_pool1d(x, 3, 2) - want) < 1e-4).item<bool>());
  const Tensor image = numbers({1, 2, 4, 4}), volume = numbers({1, 2, 2, 2, 2});
  const Tensor squares = sqrt(sum(reshape(square(image), {1, 2, 2, 2, 2, 2}), {3, 5}));
  EXPECT_TRUE(all(abs(lp_pool2d(image, 2, {2, 2}) - squares) < 1e-4).item<bool>());
  const Tensor whole = sqrt(sum(square(volume), {2, 3, 4}, true));
  EXPECT_TRUE(all(abs(lp_pool3d(volume, 2, 2) - whole) < 1e-4).item<bool>());
}

}  // namespace
}  // namespace vitro
