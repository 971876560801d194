// Windows: padding, pools and patches, eager and compiled, compared with plain C++.
#include "vitro/ops/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

Tensor numbers(const Sizes& sizes, DType dtype = DType::f32) {
  Size count = 1;
  for (const Size size : sizes) count = count * size;
  return reshape(to(sin(to(arange(count.value()), DType::f64) * 1.7) * 9, dtype), sizes);
}

using Program = std::function<Tensor(const Tensor&)>;

void expect_equal(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(cat(got.sizes()), cat(want.sizes()));
  ASSERT_EQ(got.dtype(), want.dtype());
  const Tensor same = logical_or(eq(got, want), logical_and(isnan(got), isnan(want)));
  EXPECT_TRUE(all(same).item<bool>());
}

// Expects the same bits from eager and compiled, and that many kernels in the compiled one.
void expect_kernels(const Program& program, const Tensor& x, int kernels) {
  auto fast = compile(program);
  expect_equal(fast(x), program(x));
  expect_equal(fast(x), program(x));
  EXPECT_EQ(fast.report().segments[0].kernels, kernels);
}

TEST(Window, pads_every_row_and_column_of_any_length) {
  for (const int64_t width : {1, 5, 15, 16, 17, 31, 32, 56, 100}) {
    for (const int64_t by : {0, 1, 3, 16, 40}) {
      const Tensor x = numbers({3, width});
      const Tensor y = constant_pad_nd(x, {by, 2, 1, 0}, -2.5);
      SCOPED_TRACE(cat(width, " padded by ", by));
      ASSERT_EQ(cat(y.sizes()), cat(Sizes{4, width + by + 2}));
      expect_equal(slice(slice(y, 0, 1), 1, by, by + width), x);
      EXPECT_EQ(sum(to(eq(y, -2.5), DType::i64)).item<int64_t>(), (width + by + 2) + 3 * (by + 2));
    }
  }
}

TEST(Window, padding_copies_bits_of_every_dtype) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8, DType::i16,
                            DType::i32, DType::i64, DType::u8, DType::boolean}) {
    SCOPED_TRACE(cat(dtype));
    const Program program = [](const Tensor& t) { return constant_pad_nd(t, {1, 2, -1, 1}, 1); };
    for (const int64_t width : {21, 79}) {  // 79: some iterations touch no border
      const Tensor x = numbers({2, 3, width}, dtype);
      expect_kernels(program, x, 1);
      expect_equal(program(x), cat({full({2, 3, 1}, 1, dtype),
                                    cat({slice(x, 1, 1), full({2, 1, width}, 1, dtype)}, 1),
                                    full({2, 3, 2}, 1, dtype)},
                                   2));
    }
  }
}

// Iterations inside a row use full vectors, whatever remains at either end.
TEST(Window, turns_that_reach_no_border_give_what_others_give) {
  for (const int64_t width : {46, 48, 63, 64, 65, 150}) {
    const Tensor x = numbers({3, 4, width});
    SCOPED_TRACE(width);
    for (const auto& [left, right] :
         std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 0}, {17, 3}, {-5, 40}, {20, -7}}) {
      const Program program = [left, right](const Tensor& t) {
        return constant_pad_nd(exp(t), {left, right, 1, 1}, 0.5) + 1;
      };
      expect_kernels(program, x, 1);
      const Tensor kept =
          slice(exp(x), 2, std::max<int64_t>(-left, 0), width + std::min<int64_t>(right, 0));
      const int64_t begin = std::max<int64_t>(left, 0);
      const Tensor inside =
          slice(slice(program(x), 1, 1, 5), 2, begin, begin + kept.size(2).value());
      expect_equal(inside, kept + 1);
    }
    expect_kernels([](const Tensor& t) { return max_pool2d(t * 2, {2, 3}, {1, 2}, {1, 1}) + 1; }, x,
                   1);
    expect_kernels([](const Tensor& t) { return avg_pool2d(t, {3, 3}, {1, 1}, {1, 1}); }, x, 1);
  }
}

TEST(Window, mirrors_and_repeats_at_borders) {
  const Tensor x = Tensor::from<float>({0, 1, 2, 3}, {1, 4});
  EXPECT_EQ(pad(x, {3, 2}, "reflect").to_vector<float>(),
            (std::vector<float>{3, 2, 1, 0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(pad(x, {2, 1}, "replicate").to_vector<float>(),
            (std::vector<float>{0, 0, 0, 1, 2, 3, 3}));
  const Tensor wide = numbers({2, 5, 70});
  for (const char* mode : {"reflect", "replicate"})
    expect_kernels([mode](const Tensor& t) { return pad(t * 2, {4, 3, 1, 2}, mode) + 1; }, wide, 1);
}

// Cheap producers are fused into the reads of the window, consumers into its result.
TEST(Window, makes_one_kernel_with_what_is_around_it) {
  const Tensor x = numbers({2, 3, 12, 37});
  expect_kernels([](const Tensor& t) { return exp(constant_pad_nd(relu(t), {1, 1, 1, 1}) * 2); }, x,
                 1);
  expect_kernels([](const Tensor& t) { return max_pool2d(relu(t), 3, 2, 1) + 1; }, x, 1);
  expect_kernels([](const Tensor& t) { return avg_pool2d(t * 2, 3, 1, 1, false, false); }, x, 1);
  expect_kernels([](const Tensor& t) { return avg_pool2d(t + 1, 3, 1, 1); }, x, 1);
  expect_kernels([](const Tensor& t) { return pad(avg_pool2d(t + 1, 2, 2, 1), {1, 2}); }, x, 1);
  expect_kernels([](const Tensor& t) { return amax(constant_pad_nd(t, {1, 2}, 20), {-1}); }, x, 1);
}

// A reduction over two dimensions runs as one loop, in which positions take divisions.
TEST(Window, is_apart_from_a_reduction_over_several_dimensions) {
  const Tensor x = numbers({2, 3, 12, 37});
  expect_kernels([](const Tensor& t) { return sum(avg_pool2d(t, 3, 1, 1), {-1}); }, x, 1);
  expect_kernels([](const Tensor& t) { return sum(avg_pool2d(t, 3, 1, 1), {-2, -1}); }, x, 2);
}

// Each kernel reads the images once; differences from the mean are computed where they are read,
// not stored.
TEST(Window, a_norm_over_groups_of_channels_reads_them_as_they_lie) {
  for (const bool channels_last : {false, true}) {
    const Tensor rows = numbers({2, 10, 11, 32}),
                 x = channels_last ? permute(rows, {0, 3, 1, 2}) : rows;
    const auto norm = [](const Tensor& t) { return group_norm(t, 2, {}, {}); };
    auto fast = compile(norm);
    expect_equal(fast(x), norm(x));
    double bytes = 0;
    for (const auto& kernel : fast.report().segments[0].build->kernels)
      bytes += std::stod(kernel.bytes);
    EXPECT_LT(bytes, 4.1 * 4 * static_cast<double>(x.numel().value()));
  }
}

TEST(Window, a_norm_over_groups_of_channels_has_the_strides_of_eager) {
  for (const int64_t batch : {1, 2}) {
    for (const int64_t channels : {2, 6}) {
      const Tensor x = permute(numbers({batch, 3, 4, channels}), {0, 3, 1, 2});
      const auto norm = [](const Tensor& t) { return group_norm(t, 2, {}, {}); };
      auto fast = compile(norm);
      expect_equal(fast(x), norm(x));
      EXPECT_EQ(cat(fast(x).strides()), cat(norm(x).strides()));
    }
  }
}

TEST(Window, what_is_costly_is_made_once_for_all_windows) {
  const Tensor x = numbers({2, 3, 12, 37});
  expect_kernels([](const Tensor& t) { return max_pool2d(tanh(exp(t * 0.1)), 3, 2, 1); }, x, 2);
}

// Elements outside the operand are neither read nor checked.
TEST(Window, indices_and_divisors_outside_are_no_mistakes) {
  const Tensor rows = arange(7);
  const Tensor x = numbers({7, 5});
  auto fast = compile([](const Tensor& table, const Tensor& index) {
    return std::vector<Tensor>{constant_pad_nd(index_select(table, 0, index), {2, 1, 3, 4}, -1),
                               constant_pad_nd(floor_divide(100, index + 1), {3, 20})};
  });
  const std::vector<Tensor> got = fast(x, rows);
  expect_equal(got[0], constant_pad_nd(x, {2, 1, 3, 4}, -1));
  expect_equal(slice(got[1], 0, 3, 10), floor_divide(100, rows + 1));
}

std::vector<float> pooled(const Tensor& x, int64_t k, int64_t s, int64_t p) {
  const int64_t h = x.size(-2).value(), w = x.size(-1).value(), n = x.numel().value() / (h * w);
  const int64_t oh = (h + 2 * p - k) / s + 1, ow = (w + 2 * p - k) / s + 1;
  const std::vector<float> from = contiguous(x).to_vector<float>();
  std::vector<float> out;
  for (int64_t i = 0; i < n * oh * ow; ++i) {
    const int64_t plane = i / (oh * ow), top = i / ow % oh * s - p, left = i % ow * s - p;
    float most = -std::numeric_limits<float>::infinity();
    for (int64_t a = std::max<int64_t>(top, 0); a < std::min(top + k, h); ++a) {
      for (int64_t b = std::max<int64_t>(left, 0); b < std::min(left + k, w); ++b)
        most = std::max(most, from[static_cast<size_t>((plane * h + a) * w + b)]);
    }
    out.push_back(most);
  }
  return out;
}

TEST(Window, pools_planes_of_many_sizes) {
  for (const int64_t width : {3, 8, 17, 33, 56}) {
    using Kernel = std::array<int64_t, 3>;
    for (const auto& [k, s, p] : {Kernel{2, 2, 0}, {3, 2, 1}, {3, 1, 1}, {5, 3, 2}}) {
      if (width + 2 * p < k) continue;
      SCOPED_TRACE(cat(width, ": ", k, ", ", s, ", ", p));
      const Tensor x = numbers({2, 2, 7, width});
      EXPECT_EQ(max_pool2d(x, k, s, p).to_vector<float>(), pooled(x, k, s, p));
      const auto [values, places] = max_pool2d_with_indices(x, k, s, p);
      EXPECT_EQ(values.to_vector<float>(), pooled(x, k, s, p));
      const Tensor flat = reshape(x, {2, 2, 7 * width});
      expect_equal(reshape(gather(flat, 2, reshape(places, {2, 2, -1})), values.sizes()), values);
    }
  }
}

// A pool with a large kernel is computed as a reduction of a view.
TEST(Window, large_kernels_give_what_small_ones_give) {
  const Tensor x = numbers({2, 3, 20, 21});
  EXPECT_EQ(max_pool2d(x, 11, 3, 5).to_vector<float>(), pooled(x, 11, 3, 5));
  expect_kernels([](const Tensor& t) { return max_pool2d(t, 11, 3, 5); }, x, 1);
  const Tensor whole = avg_pool2d(x, {20, 21});
  EXPECT_EQ(cat(whole.sizes()), "[2, 3, 1, 1]");
  EXPECT_TRUE(all(abs(whole - mean(x, {2, 3}, true)) < 1e-5).item<bool>());
}

TEST(Window, sizes_that_vary_are_symbols) {
  auto fast = compile([](const Tensor& x) {
    return std::vector<Tensor>{constant_pad_nd(x, {1, 2, 3, 0}, 5), max_pool2d(x, 3, 2, 1),
                               avg_pool2d(x, 2, 2, 0, true), pad(x, {1, 1, 1, 1}, "reflect"),
                               im2col(x, 2, 1, 1, 1)};
  });
  for (const int64_t n : {3, 4, 5, 17, 40}) {
    const Tensor x = numbers({2, n, n + 1, 2 * n});
    const std::vector<Tensor> got = fast(x);
    expect_equal(got[0], constant_pad_nd(x, {1, 2, 3, 0}, 5));
    expect_equal(got[1], max_pool2d(x, 3, 2, 1));
    expect_equal(got[2], avg_pool2d(x, 2, 2, 0, true));
    expect_equal(got[3], pad(x, {1, 1, 1, 1}, "reflect"));
    expect_equal(got[4], im2col(x, 2, 1, 1, 1));
  }
}

TEST(Window, an_input_may_receive_what_its_windows_give) {
  Tensor x = numbers({2, 3, 9, 9});
  const Tensor want = max_pool2d(x, 3, 1, 1);
  auto fast = compile([](const Tensor& t) { return copy_(t, max_pool2d(t, 3, 1, 1)); });
  fast(x);
  expect_equal(x, want);
}

TEST(Window, flips_are_read_where_they_are_used) {
  expect_kernels([](const Tensor& t) { return flip(t * 2, {0, 2}) + t; }, numbers({3, 4, 17}), 1);
  auto fast = compile([](const Tensor& x) { return flip(x, {0, -1}) - flip(x, 1); });
  for (const int64_t n : {1, 2, 16, 33}) {
    const Tensor x = numbers({n, 3, 2 * n + 1});
    expect_equal(fast(x), flip(x, {0, -1}) - flip(x, 1));
    expect_equal(flip(flip(x, {0, 1}), {1, 0}), x);
  }
  Tensor x = numbers({7, 33});
  const Tensor want = flip(x, {0, 1});
  auto itself = compile([](const Tensor& t) { return copy_(t, flip(t, {0, 1})); });
  itself(x);
  expect_equal(x, want);
}

TEST(Window, of_elements_that_lie_elsewhere) {
  const Tensor x = numbers({4, 30, 20});
  for (const Tensor& t : {transpose(x, 1, 2), slice(x, 2, 0, INT64_MAX, 3), x}) {
    expect_equal(max_pool2d(t, 2), max_pool2d(contiguous(t), 2));
    expect_kernels([](const Tensor& y) { return constant_pad_nd(y, {1, 1, 1, 1}, 3); }, t, 1);
  }
  auto turned =
      compile([](const Tensor& y) { return constant_pad_nd(transpose(y, 1, 2), {2, 1}); });
  expect_equal(turned(x), constant_pad_nd(contiguous(transpose(x, 1, 2)), {2, 1}));
}

TEST(Window, errors_say_what_is_needed) {
  const auto message = [](const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const Tensor x = numbers({2, 3, 4});
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(message([&] { constant_pad_nd(x, {1, 1, 1}); }), "two numbers for each of the last dim");
  for (const Sizes& pad : {Sizes{-5, 3}, Sizes{3, -5}, Sizes{-3, -2}})
    has(message([&] { constant_pad_nd(x, pad); }), "removes more elements than there are in");
  has(message([&] { pad(x, {4, 0}, "reflect"); }),
      "mirrors more elements than there are in dimension 2");
  has(message([&] { pad(x, {1, 1}, "round"); }), "reflect, replicate or circular, got round");
  has(message([&] { pad(x, {1, 5}, "circular"); }),
      "pad: pad [1, 5] removes or repeats more elements");
  has(message([&] { max_pool2d(x, 2, 1, 2); }), "padding 2 is more than half of the kernel");
  has(message([&] { avg_pool2d(x, 5); }), "the kernel extends over 5 elements of dimension -2");
  auto pooled = compile([](const Tensor& y) { return avg_pool2d(y, 5); }, {.dynamic = true});
  has(message([&] { avg_pool2d(x, 5); }), "x has 3 there");
  has(message([&] { (void)pooled(x); }), "x has 3 there");
  has(message([&] { avg_pool2d(to(x, DType::i32), 2); }),
      "takes floating-point numbers or i64, got i32");
  has(message([&] { adaptive_avg_pool2d(x, {2, -2}); }), "output_size must not be negative");
  has(message([&] { max_pool3d(x, 2); }), "max_pool3d: needs x of rank 5 (a batch) or 4");
  has(message([&] { max_pool3d(unsqueeze(x, 0), {2, 2}); }), "kernel_size needs one number or 3");
  has(message([&] { col2im(x, {3, 3}, 2, 1, 0, 1); }), "needs a multiple of 4 rows and 4 columns");
  has(message([&] { interpolate(x, {.size = 4, .mode = "bilinear"}); }),
      "there is no mode bilinear for x of rank 3; needs nearest, nearest-exact, linear, area");
  const Tensor image = unsqueeze(x, 0);
  has(message([&] { interpolate(image, {.size = 4, .mode = "area", .antialias = true}); }),
      "there is no mode area with antialias for x of rank 4; needs bilinear, bicubic");
  has(message([&] { interpolate(image, {}); }), "needs either size or scale_factor, got neither");
  has(message([&] { interpolate(image, {.size = 4, .scale_factor = 2}); }),
      "needs either size or scale_factor, got both");
  has(message([&] { interpolate(x, {.size = 4, .align_corners = true}); }),
      "mode nearest does not take align_corners");
  has(message([&] { grid_sample(unsqueeze(x, 0), zeros({1, 2, 2, 2}), "cubic"); }),
      "grid_sample: mode must be bilinear, nearest or bicubic, got cubic");
  has(message([&] { upsample_nearest2d(x, {2, 2}); }), "needs x of rank 4");
}

}  // namespace
}  // namespace vitro
