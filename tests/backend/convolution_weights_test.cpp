// Compiled gradients of the weights of convolutions, of many shapes, compared with sums in double
// and with eager, and where their kernels read images.
#include <gtest/gtest.h>

#include "backend/programs.h"
#include "vitro/runtime/parallel.h"

namespace vitro::backend {
namespace {

struct Shape {
  Sizes x, gradient, taps;
  Dims stride, padding, dilation;
  int64_t groups = 1;

  ops::ConvolveWeightsAttrs attrs() const {
    ops::ConvolveAttrs a{stride, {}, {}, dilation, groups};
    for (size_t d = 0; d < taps.size(); ++d) {
      const Size reach = (gradient[d + 2] - 1) * stride[d] + (taps[d] - 1) * dilation[d] + 1;
      a.padding.push_back(padding[d]);
      a.padding_after.push_back(reach - x[d + 2] - padding[d]);
    }
    return {a, taps};
  }
};

// Every path: few and many channels, more and fewer positions than are copied at a time, more
// elements of windows than a block has rows, groups, depthwise, one to three dimensions, windows
// that leave the image, images without borders.
const std::vector<Shape> shapes{
    {{2, 3, 13, 11}, {2, 20, 7, 11}, {7, 5}, {2, 1}, {3, 2}, {1, 1}},
    {{1, 24, 9, 10}, {1, 33, 9, 10}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{3, 70, 4, 5}, {3, 18, 4, 5}, {3, 2}, {1, 1}, {1, 0}, {1, 1}},
    {{5, 16, 2, 2}, {5, 70, 2, 2}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{2, 32, 7, 8}, {2, 72, 3, 4}, {3, 3}, {2, 2}, {1, 1}, {2, 1}, 4},
    {{2, 32, 7, 8}, {2, 12, 7, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 4},
    {{2, 12, 8, 9}, {2, 12, 8, 5}, {3, 3}, {1, 2}, {1, 1}, {1, 1}, 12},
    {{2, 5, 8, 9}, {2, 10, 8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 5},
    {{3, 20, 5, 7}, {3, 24, 5, 7}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {{3, 20, 5, 7}, {3, 24, 3, 3}, {1, 1}, {2, 3}, {0, 0}, {1, 1}},
    {{3, 40, 5, 7}, {3, 48, 5, 7}, {1, 1}, {1, 1}, {0, 0}, {1, 1}, 2},
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {1, 1}},
    {{1, 20, 3, 3}, {1, 16, 5, 4}, {3, 3}, {1, 1}, {4, 4}, {1, 1}},
    {{2, 20, 9, 9}, {2, 17, 3, 4}, {3, 3}, {1, 1}, {-2, -1}, {1, 1}},
    {{2, 20, 9, 9}, {2, 17, 7, 7}, {3, 3}, {1, 1}, {0, 0}, {1, 1}},
    {{2, 5, 40}, {2, 17, 12}, {4}, {3}, {2}, {2}},
    {{2, 18, 40}, {2, 17, 36}, {4}, {1}, {-2}, {1}},
    {{1, 17, 4, 5, 6}, {1, 19, 4, 3, 5}, {2, 3, 2}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}},
    {{2, 2, 4, 5, 6}, {2, 3, 4, 5, 6}, {2, 3, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
    {{1, 3, 9, 150}, {1, 24, 5, 75}, {3, 3}, {2, 2}, {1, 1}, {1, 1}},
    {{2, 1, 6, 20}, {2, 8, 6, 20}, {5, 5}, {1, 1}, {2, 2}, {1, 1}},
    {{1, 16, 20, 20}, {1, 1, 20, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
    {{2, 40, 9, 10}, {2, 40, 9, 10}, {5, 5}, {1, 1}, {2, 2}, {1, 1}, 40},
    {{1, 70, 7, 7}, {1, 70, 4, 4}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 70},
    {{3, 33, 40}, {3, 33, 12}, {4}, {3}, {2}, {2}, 33},
    {{1, 17, 4, 5, 6}, {1, 17, 4, 3, 5}, {2, 3, 2}, {1, 2, 1}, {1, 1, 0}, {1, 1, 2}, 17},
    {{1, 20, 3, 3}, {1, 20, 5, 4}, {3, 3}, {1, 1}, {4, 4}, {1, 1}, 20},
    {{2, 20, 9, 9}, {2, 20, 3, 4}, {3, 3}, {1, 1}, {-2, -1}, {1, 1}, 20},
    {{1, 18, 9, 9}, {1, 18, 9, 9}, {9, 9}, {1, 1}, {4, 4}, {1, 1}, 18},
    {{0, 20, 9, 9}, {0, 20, 9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 20},
};

// The definition, in double; one rounding per product is tolerated.
void expect_definition(const Shape& s, const Tensor& x, const Tensor& g, const Tensor& got) {
  const auto number = [](const Size& size) { return size.value(); };
  const int64_t images = number(s.x[0]), channels = number(got.size(1)),
                columns = number(s.gradient[1]) / s.groups;
  const Tensor in = to(x, DType::f64), of_result = to(g, DType::f64);
  const std::vector<float> all = got.to_vector<float>();
  const std::vector<double> from = in.to_vector<double>(), by = of_result.to_vector<double>();
  const size_t rank = s.taps.size();
  int64_t taps = 1, positions = 1, plane = 1;
  for (size_t d = 0; d < rank; ++d) {
    taps *= number(s.taps[d]);
    positions *= number(s.gradient[d + 2]);
    plane *= number(s.x[d + 2]);
  }
  // Where tap `tap` of position p is in its plane; -1: outside.
  const auto place = [&](int64_t p, int64_t tap) {
    int64_t flat = 0, step = 1;
    for (size_t d = rank; d-- > 0;) {
      const int64_t size = number(s.x[d + 2]), out = number(s.gradient[d + 2]),
                    count = number(s.taps[d]);
      const int64_t at = p % out * s.stride[d] + tap % count * s.dilation[d] - s.padding[d];
      if (at < 0 || at >= size) return int64_t{-1};
      flat += at * step, step *= size;
      p /= out, tap /= count;
    }
    return flat;
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const auto element = static_cast<int64_t>(i);
    const int64_t tap = element % taps, channel = element / taps % channels,
                  column = element / taps / channels;
    double sum = 0, size = 0;
    for (int64_t n = 0; n < images; ++n) {
      const int64_t from_plane = n * number(s.x[1]) + column / columns * channels + channel;
      for (int64_t p = 0; p < positions; ++p) {
        const int64_t at = place(p, tap);
        if (at < 0) continue;
        const double product =
            from[static_cast<size_t>(from_plane * plane + at)] *
            by[static_cast<size_t>((n * number(s.gradient[1]) + column) * positions + p)];
        sum += product, size += std::fabs(product);
      }
    }
    const auto terms = static_cast<double>(images * positions + 1);
    ASSERT_NEAR(static_cast<double>(all[i]), sum, terms * 0x1p-24 * size + 1e-30)
        << vitro::cat(s.x, " and ", s.gradient, ", element ", i);
  }
}

Function weights_of(const Shape& s) {
  return [attrs = s.attrs()](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{convolve_weights(in[0], in[1], attrs)};
  };
}

TEST(ConvolutionWeights, of_every_shape_are_their_definition_and_have_the_bits_of_eager) {
  eager::init();
  for (const Shape& s : shapes) {
    const Tensor x = random_tensor(s.x, 1), g = random_tensor(s.gradient, 2);
    const Function f = weights_of(s);
    const Tensor want = f({x, g})[0];
    expect_definition(s, x, g, want);
    expect_same_bits(compile_graph(graph_of({s.x, s.gradient}, f)).run({x, g})[0], want);
  }
}

TEST(ConvolutionWeights, of_halves_round_once_and_have_the_bits_of_eager) {
  eager::init();
  for (const DType dtype : {DType::f16, DType::bf16, DType::f64}) {
    for (const Shape& s : shapes) {
      const Tensor x = to(random_tensor(s.x, 1), dtype),
                   g = to(random_tensor(s.gradient, 2), dtype);
      const Function f = weights_of(s);
      const Tensor want = f({x, g})[0];
      if (dtype != DType::f64)
        expect_same_bits(want, to(f({to(x, DType::f32), to(g, DType::f32)})[0], dtype));
      expect_same_bits(compile_graph(graph_of({s.x, s.gradient}, f, true, dtype)).run({x, g})[0],
                       want);
    }
  }
}

// [n, positions..., c] as an image.
Tensor image_of(const Tensor& t) {
  Dims order{0, t.rank() - 1};
  for (int64_t d = 1; d + 1 < t.rank(); ++d) order.push_back(d);
  return permute(t, order);
}
Sizes sizes_with_last_channels(const Sizes& image) {
  Sizes out{image[0]};
  for (size_t d = 2; d < image.size(); ++d) out.push_back(image[d]);
  out.push_back(image[1]);
  return out;
}

TEST(ConvolutionWeights, of_channels_last_have_the_bits_of_eager) {
  eager::init();
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    for (const Shape& s : shapes) {
      const Sizes x_sizes = sizes_with_last_channels(s.x),
                  g_sizes = sizes_with_last_channels(s.gradient);
      const Tensor x = to(random_tensor(x_sizes, 1), dtype),
                   g = to(random_tensor(g_sizes, 2), dtype);
      const Function f = [&](const std::vector<Tensor>& in) {
        return weights_of(s)({image_of(in[0]), image_of(in[1])});
      };
      const Tensor want = f({x, g})[0];
      expect_same_bits(want, weights_of(s)({contiguous(image_of(x)), contiguous(image_of(g))})[0]);
      expect_same_bits(compile_graph(graph_of({x_sizes, g_sizes}, f, true, dtype)).run({x, g})[0],
                       want);
    }
  }
}

TEST(ConvolutionWeights, have_the_same_bits_on_any_number_of_threads) {
  eager::init();
  const int before = num_threads();
  for (const Shape& s : {shapes[0], shapes[2], shapes[4], shapes[6], shapes[8], shapes[23]}) {
    const Tensor x = random_tensor(s.x, 1), g = random_tensor(s.gradient, 2);
    const Function f = weights_of(s);
    Compiled c = compile_graph(graph_of({s.x, s.gradient}, f));
    set_num_threads(1);
    const Tensor want = f({x, g})[0];
    for (const int threads : {2, 3, 16}) {
      set_num_threads(threads);
      expect_same_bits(f({x, g})[0], want);
      expect_same_bits(c.run({x, g})[0], want);
    }
  }
  set_num_threads(before);
}

// Zeros outside the image are multiplied: the gradient there is infinite.
TEST(ConvolutionWeights, multiply_what_is_outside_the_image_as_zeros) {
  eager::init();
  for (const int64_t channels : {20, 2}) {  // few channels are read with their padding
    const Shape s{{1, channels, 5, 5}, {1, 17, 5, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
    const Tensor x = full(s.x, 1.0), g = full(s.gradient, INFINITY);
    const Function f = weights_of(s);
    const Tensor want = f({x, g})[0];
    const std::vector<bool> is_nan = isnan(select(select(want, 0, 0), 0, 0)).to_vector<bool>();
    for (size_t tap = 0; tap < is_nan.size(); ++tap) EXPECT_EQ(is_nan[tap], tap != 4) << tap;
    expect_same_bits(compile_graph(graph_of({s.x, s.gradient}, f)).run({x, g})[0], want);
  }
}

// The same of single channels, which add zeros only if a sum is not finite, or no element of a
// window is inside the image.
TEST(ConvolutionWeights, of_single_channels_multiply_what_is_outside_the_image_as_zeros) {
  eager::init();
  const Shape near{{1, 20, 5, 5}, {1, 20, 5, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 20},
      far{{1, 20, 1, 1}, {1, 20, 5, 5}, {3, 3}, {1, 1}, {3, 3}, {1, 1}, 20};
  struct Case {
    const Shape& shape;
    int64_t infinite;  // position
    std::vector<bool> is_nan;
  };
  const std::vector<Case> cases{
      {near, 0, {true, true, true, true, false, false, true, false, false}},
      {near, 12, std::vector<bool>(9, false)},
      {far, 0, std::vector<bool>(9, true)},
      {far, 12, {true, true, true, true, false, true, true, true, true}}};
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const auto& [s, infinite, is_nan] : cases) {
      const Tensor x = full(s.x, 1.0, dtype), at = reshape(arange(25), {1, 1, 5, 5});
      const Tensor g = to(where(at == infinite, INFINITY, ones(s.gradient)), dtype);
      const Tensor want = weights_of(s)({x, g})[0];
      EXPECT_EQ(isnan(select(want, 0, 19)).to_vector<bool>(), is_nan) << infinite;
      expect_same_bits(
          compile_graph(graph_of({s.x, s.gradient}, weights_of(s), true, dtype)).run({x, g})[0],
          want);
    }
  }
}

TEST(ConvolutionWeights, of_no_images_are_zeros) {
  eager::init();
  const Shape s{{0, 20, 5, 5}, {0, 17, 5, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Tensor x = Tensor::empty({0, 20, 5, 5}), g = Tensor::empty({0, 17, 5, 5});
  const Tensor want = zeros({17, 20, 3, 3});
  expect_same_bits(weights_of(s)({x, g})[0], want);
  expect_same_bits(compile_graph(graph_of({s.x, s.gradient}, weights_of(s))).run({x, g})[0], want);
}

size_t count_of_text(const Compiled& c, std::string_view part) {
  size_t found = 0;
  for (const KernelReport& kernel : c.report.kernels) {
    for (size_t at = 0; (at = kernel.source.find(part, at)) != std::string::npos; ++at) ++found;
  }
  return found;
}

TEST(ConvolutionWeightsText, read_images_with_contiguous_channels_where_they_lie) {
  const Shape s{{2, 32, 9, 9}, {2, 40, 9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Function last = [&](const std::vector<Tensor>& in) {
    return weights_of(s)({image_of(in[0]), image_of(in[1])});
  };
  const Compiled in_place = compile_graph(passed_graph_of({{2, 9, 9, 32}, {2, 9, 9, 40}}, last));
  EXPECT_EQ(in_place.report.kernels.size(), 1U);
  EXPECT_EQ(count_of_text(in_place, "&windows, at.row"), 1U);
  EXPECT_EQ(count_of_text(in_place, "computes: conv3x3 32→40, weights"), 1U);
  const Compiled copied = compile_graph(passed_graph_of({s.x, s.gradient}, weights_of(s)));
  EXPECT_EQ(copied.report.kernels.size(), 3U);  // two copies
}

TEST(ConvolutionWeightsText, of_single_channels_are_a_kernel_that_unfolds_nothing) {
  const Shape s{{2, 32, 9, 9}, {2, 32, 9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 32};
  const Function last = [&](const std::vector<Tensor>& in) {
    return weights_of(s)({image_of(in[0]), image_of(in[1])});
  };
  const Compiled c = compile_graph(passed_graph_of({{2, 9, 9, 32}, {2, 9, 9, 32}}, last));
  EXPECT_EQ(c.report.kernels.size(), 1U);
  EXPECT_EQ(count_of_text(c, "multiply_depthwise_weights("), 1U);
  EXPECT_EQ(count_of_text(c, "computes: depthwise conv3x3 32, weights"), 1U);
}

TEST(ConvolutionWeightsText, of_single_positions_are_those_of_a_plain_product) {
  const Shape s{{2, 32, 9, 9}, {2, 48, 9, 9}, {1, 1}, {1, 1}, {0, 0}, {1, 1}};
  const Compiled c = compile_graph(passed_graph_of({s.x, s.gradient}, weights_of(s)));
  EXPECT_EQ(count_of_text(c, "multiply_plain("), 1U);
  EXPECT_EQ(count_of_text(c, "&windows"), 0U);
}

// The convolution's copy of its operand serves the gradient of its weights, too.
TEST(ConvolutionWeightsText, share_copies_of_images_with_the_convolution) {
  const Shape s{{2, 32, 9, 9}, {2, 32, 9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Function f = [&](const std::vector<Tensor>& in) {
    const Tensor y = relu(convolve(in[0], in[1], s.attrs()));
    return std::vector<Tensor>{convolve_weights(in[0], y, s.attrs())};
  };
  const Compiled c = compile_graph(passed_graph_of({s.x, {32, 32, 3, 3}}, f));
  EXPECT_EQ(c.report.kernels.size(), 4U);  // the weights and the image, and two products
  EXPECT_EQ(count_of_text(c, "void copy"), 1U);
}

TEST(ConvolutionWeightsText, have_what_follows_them_in_their_kernel) {
  eager::init();
  const Shape s{{2, 32, 9, 9}, {2, 40, 9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}};
  const Function f = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{in[2] - weights_of(s)(in)[0] * 0.1};
  };
  const std::vector<Sizes> sizes{s.x, s.gradient, {40, 32, 3, 3}};
  const Compiled c = compile_graph(passed_graph_of(sizes, f));
  EXPECT_EQ(c.report.kernels.size(), 3U);  // two copies
  (void)check_bits(
      {random_tensor(sizes[0], 1), random_tensor(sizes[1], 2), random_tensor(sizes[2], 3)}, f);
}

}  // namespace
}  // namespace vitro::backend
