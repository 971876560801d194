// Products of windows by parts of bf16 (kernels/bf16x6_windows.h), compared with sums in double and
// with the products of windows by fma: geometries, blocks, elements that are not finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "kernels/machine.h"
#include "kernels/matmul_table.h"

namespace vitro::kernels {
namespace {

struct Image {
  long images, height, width, channels, columns;
  long taps[2] = {3, 3}, stride[2] = {1, 1}, dilation[2] = {1, 1}, padding[2] = {1, 1};
};

// Images [image][y][x][channel], whose positions are a little apart, and weights
// [column][tap][channel].
struct Convolution {
  Image of;
  Windows windows;
  long rows, taps;
  std::vector<float> x, weights;

  explicit Convolution(const Image& image) : of(image), taps(image.taps[0] * image.taps[1]) {
    const long apart = image.channels + 2, line = image.width * apart + 5;
    const auto out = [&](int d, long size) {
      return (size + 2 * image.padding[d] - (image.taps[d] - 1) * image.dilation[d] - 1) /
                 image.stride[d] +
             1;
    };
    windows = {{1, image.height, image.width},
               {1, out(0, image.height), out(1, image.width)},
               {1, image.taps[0], image.taps[1]},
               {1, image.stride[0], image.stride[1]},
               {1, image.dilation[0], image.dilation[1]},
               {0, image.padding[0], image.padding[1]},
               {0, line, apart},
               image.height * line,
               image.channels};
    rows = image.images * windows.out[1] * windows.out[2];
    x.resize(static_cast<size_t>(image.images * windows.image_stride));
    weights.resize(static_cast<size_t>(image.columns * taps * image.channels));
    std::mt19937 random(static_cast<unsigned>(rows + 100 * image.channels + image.columns));
    std::normal_distribution<float> normal;
    for (float& e : x) e = normal(random);
    for (float& e : weights) e = normal(random);
  }

  float* at(long image, long y, long x_position) {
    return x.data() + image * windows.image_stride + y * windows.position_stride[1] +
           x_position * windows.position_stride[2];
  }
  float& weight(long column, long tap, long channel) {
    return weights[static_cast<size_t>((column * taps + tap) * of.channels + channel)];
  }
  std::vector<float> panels(const Product& f, long panel_rows) const {
    std::vector<float> out(static_cast<size_t>(f.panel_count(of.columns) * f.width * panel_rows));
    for (long p = 0; p < f.panel_count(of.columns); ++p) {
      f.pack_taps(weights.data(), taps, 1, of.channels, 1, taps * of.channels, of.channels,
                  of.columns, out.data(), p, p + 1);
    }
    return out;
  }
};

std::vector<float> by_parts(const Convolution& in, long most_rows, long threads = 1) {
  const Product& f = products()[product_bf16x6];
  const long panel_rows = in.taps * bf16x6_panel_rows(in.of.channels);
  const std::vector<float> panels = in.panels(f, panel_rows);
  const SplitScratch sizes(in.windows, most_rows);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> scratch(static_cast<size_t>(sizes.operand + sizes.sums), nan),
      out(static_cast<size_t>(in.rows * in.of.columns), nan);
  std::vector<RowRange> ranges(static_cast<size_t>(sizes.ranges));
  const ProductCut cut = f.cut_split(in.rows, in.of.columns, most_rows, in.windows.out[2], threads);
  for (long task = 0; task < cut.count; ++task) {
    const ProductBlock at = cut.block(task);
    const SplitCall call{&in.windows,    at.row,        at.rows,      in.x.data(),
                         scratch.data(), sizes.operand, ranges.data()};
    const long count = f.split_read(call);
    EXPECT_LE(count, sizes.ranges);
    for (long j = at.column; j < at.column + at.columns && j < in.of.columns; j += f.width) {
      const long columns = std::min(f.width, in.of.columns - j);
      const float* sums = f.split_multiply({&call, panels.data() + j * panel_rows, columns, count});
      for (const RowRange& range : std::span(ranges).first(static_cast<size_t>(count))) {
        for (long r = 0; r < range.rows; ++r) {
          std::copy_n(sums + (range.sum + r) * f.width, columns,
                      out.data() + (range.row + r) * in.of.columns + j);
        }
      }
    }
  }
  return out;
}

std::vector<float> by_fma(const Convolution& in) {
  const Product& f = products()[0];
  const long k = in.taps * in.of.channels;
  const std::vector<float> panels = in.panels(f, k);
  std::vector<float> sums(static_cast<size_t>(product_sums<float>)),
      out(static_cast<size_t>(in.rows * in.of.columns));
  const ProductCut cut = f.cut(in.rows, in.of.columns, k, 1);
  for (long task = 0; task < cut.count; ++task) {
    const ProductBlock at = cut.block(task);
    f.multiply_windows({at.row, at.rows, at.columns, in.x.data(), &in.windows,
                        panels.data() + at.column * k, k * f.width, sums.data(),
                        product_columns<float>});
    for (long r = 0; r < at.rows; ++r) {
      std::copy_n(sums.data() + r * product_columns<float>, at.columns,
                  out.data() + (at.row + r) * in.of.columns + at.column);
    }
  }
  return out;
}

// The largest error relative to the sum of the products' magnitudes.
double largest_error(const std::vector<float>& got, Convolution& in) {
  double largest = 0;
  const Windows& w = in.windows;
  for (long row = 0; row < in.rows; ++row) {
    const long image = row / (w.out[1] * w.out[2]), y = row / w.out[2] % w.out[1] * w.stride[1],
               x = row % w.out[2] * w.stride[2];
    for (long column = 0; column < in.of.columns; ++column) {
      double sum = 0, magnitude = 0x1p-100;
      for (long tap = 0; tap < in.taps; ++tap) {
        const long at_y = y + tap / w.taps[2] * w.dilation[1] - w.padding[1],
                   at_x = x + tap % w.taps[2] * w.dilation[2] - w.padding[2];
        if (at_y < 0 || at_y >= w.size[1] || at_x < 0 || at_x >= w.size[2]) continue;
        for (long c = 0; c < w.channels; ++c) {
          const double product = double{in.at(image, at_y, at_x)[c]} * in.weight(column, tap, c);
          sum += product;
          magnitude += std::abs(product);
        }
      }
      const double error = got[static_cast<size_t>(row * in.of.columns + column)] - sum;
      if (!(std::abs(error) <= largest * magnitude)) largest = std::abs(error) / magnitude;
    }
  }
  return largest;
}

class Bf16x6Windows : public testing::Test {
 protected:
  void SetUp() override {
    if (!machine_has_bf16_tiles()) GTEST_SKIP() << "this machine does not have AMX tiles for bf16";
  }
};

TEST_F(Bf16x6Windows, are_exact_to_the_rounding_of_sums) {
  const Image images[] = {
      {1, 14, 14, 64, 64},
      {2, 7, 7, 40, 70},                                    // lines share tiles
      {3, 5, 9, 33, 100, {3, 3}, {2, 2}},                   // planes of a stride
      {1, 12, 17, 21, 64, {7, 1}, {2, 2}, {1, 1}, {3, 0}},  // few channels
      {2, 9, 40, 96, 65, {1, 1}, {3, 2}, {1, 1}, {0, 0}},   // skips positions
      {1, 11, 13, 32, 80, {3, 2}, {1, 3}, {2, 4}, {2, 3}},  // dilation
      {1, 1, 150, 64, 64, {1, 5}, {1, 1}, {1, 1}, {0, 2}},  // one dimension
      {5, 1, 1, 70, 64},                                    // of padding mostly
      {1, 4, 6, 64, 1, {2, 3}, {4, 5}, {1, 1}, {1, 0}},     // gaps between windows
  };
  for (const Image& image : images) {
    Convolution in(image);
    const long line = in.windows.out[2];
    std::vector<float> one;
    for (const long most : {in.rows, 3 * line, line, 32L, 16L}) {
      const std::vector<float> got = by_parts(in, std::max(most, 16L));
      if (one.empty()) {
        EXPECT_LE(largest_error(got, in), 0x1p-22) << image.channels << " channels, " << most;
        one = got;
      }
      EXPECT_EQ(got, one) << image.channels << " channels, blocks of " << most;
    }
    for (const long threads : {2, 16}) EXPECT_EQ(by_parts(in, 2 * line + 16, threads), one);
  }
}

TEST_F(Bf16x6Windows, take_elements_that_are_not_finite) {
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN(),
              most = std::numeric_limits<float>::max();
  for (const float special : {infinity, -infinity, nan, most}) {
    for (const bool in_image : {true, false}) {
      Convolution in({2, 9, 8, 40, 70});
      const std::vector<float> before = by_parts(in, in.rows);
      (in_image ? in.at(1, 8, 0)[39] : in.weight(66, 4, 39)) = special;
      const std::vector<float> got = by_parts(in, in.rows), want = by_fma(in);
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(std::isnan(got[i]), std::isnan(want[i])) << special << ", " << i;
        if (std::isinf(want[i])) EXPECT_EQ(got[i], want[i]) << special << ", " << i;
      }
      const long first_row = 9 * 8 + 7 * 8;  // of those that read the element, in the second image
      if (in_image) {
        EXPECT_TRUE(std::equal(got.begin(), got.begin() + first_row * 70, before.begin()))
            << "sums of finite elements have changed";
      }
      EXPECT_TRUE(std::ranges::equal(got, by_parts(in, 16), [](float a, float b) {
        return a == b || (std::isnan(a) && std::isnan(b));
      }));
    }
  }
}

}  // namespace
}  // namespace vitro::kernels
