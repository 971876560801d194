// Products of f32 as six products of bf16 parts (kernels/matmul_bf16x6.h), compared with sums in
// double and with the products by fma: sizes, layouts, cuts, elements that are not finite.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/machine.h"
#include "kernels/matmul_table.h"

namespace vitro::kernels {
namespace {

// A is [m, k] in rows of `stride`; B is [k, n], its element (p, j) at p * k_stride + j * n_stride.
struct Operands {
  long m, n, k, stride, k_stride, n_stride;
  std::vector<float> a, b;

  Operands(long rows, long columns, long depth, bool k_contiguous = true)
      : m(rows),
        n(columns),
        k(depth),
        stride(depth + 3),
        k_stride(k_contiguous ? 1 : columns),
        n_stride(k_contiguous ? depth : 1),
        a(static_cast<size_t>(rows * stride)),
        b(static_cast<size_t>(columns * depth)) {
    std::mt19937 random(static_cast<unsigned>(rows + 1000 * columns + 7 * depth));
    std::normal_distribution<float> normal;
    for (float& x : a) x = normal(random);
    for (float& x : b) x = normal(random);
  }
  float& left(long i, long p) { return a[static_cast<size_t>(i * stride + p)]; }
  float& right(long p, long j) { return b[static_cast<size_t>(p * k_stride + j * n_stride)]; }
};

std::vector<float> multiply(const Product& f, const Operands& in, long panel_rows, long threads) {
  std::vector<float> panels(static_cast<size_t>(f.packed_size(in.k, in.n)));
  for (long p = 0; p < f.panel_count(in.n); ++p)
    f.pack(in.b.data(), in.k_stride, in.n_stride, in.k, in.n, panels.data(), p, p + 1);
  std::vector<float> sums(static_cast<size_t>(product_bf16x6_sums), 77.0F),
      out(static_cast<size_t>(in.m * in.n));
  const ProductCut cut = f.cut(in.m, in.n, in.k, threads);
  for (long task = 0; task < cut.count; ++task) {
    const ProductBlock at = cut.block(task);
    f.multiply({at.rows, at.columns, in.k, in.a.data() + at.row * in.stride, in.stride, 1,
                panels.data() + at.column * panel_rows, f.width, panel_rows * f.width, sums.data(),
                product_columns<float>, false});
    for (long i = 0; i < at.rows; ++i) {
      std::copy_n(sums.data() + i * product_columns<float>, at.columns,
                  out.data() + (at.row + i) * in.n + at.column);
    }
  }
  return out;
}
std::vector<float> by_parts(const Operands& in, long threads = 1) {
  return multiply(products()[product_bf16x6], in, bf16x6_panel_rows(in.k), threads);
}
std::vector<float> by_fma(const Operands& in) {
  return multiply(products()[0], in, in.k, 1);
}

struct Errors {
  double largest = 0;                 // relative to the sum of the products' magnitudes
  double largest_beyond_flushed = 0;  // the same of what tiles do not lose by treating numbers as 0
  double root_mean_square = 0;
};
Errors errors_of(const std::vector<float>& got, Operands& in) {
  Errors out;
  for (long i = 0; i < in.m; ++i) {
    for (long j = 0; j < in.n; ++j) {
      double sum = 0, magnitude = 0, flushed = 0;
      for (long p = 0; p < in.k; ++p) {
        const double a = in.left(i, p), b = in.right(p, j);
        sum += a * b;
        magnitude += std::abs(a * b);
        flushed += 0x1p-123 * (1 + std::abs(a) + std::abs(b));
      }
      const double error = got[static_cast<size_t>(i * in.n + j)] - sum;
      out.largest = std::max(out.largest, std::abs(error) / magnitude);
      out.largest_beyond_flushed =
          std::max(out.largest_beyond_flushed, (std::abs(error) - flushed) / magnitude);
      out.root_mean_square += error * error;
    }
  }
  out.root_mean_square = std::sqrt(out.root_mean_square / static_cast<double>(in.m * in.n));
  return out;
}

class Bf16x6 : public testing::Test {
 protected:
  void SetUp() override {
    if (!machine_has_bf16_tiles()) GTEST_SKIP() << "this machine does not have AMX tiles for bf16";
  }
};

TEST_F(Bf16x6, is_exact_to_the_rounding_of_sums) {
  const long sizes[][3] = {{1, 1, 1},    {2, 40, 3},   {16, 16, 32},    {17, 33, 31},
                           {31, 65, 33}, {33, 17, 64}, {64, 128, 768},  {97, 70, 40},
                           {48, 96, 65}, {70, 130, 1}, {300, 130, 900}, {256, 64, 1600}};
  for (const auto& [m, n, k] : sizes) {
    for (const bool k_contiguous : {true, false}) {
      Operands in(m, n, k, k_contiguous);
      const Errors errors = errors_of(by_parts(in), in);
      EXPECT_LE(errors.largest, 0x1p-22) << m << " x " << n << ", k = " << k;
    }
  }
}

TEST_F(Bf16x6, loses_no_more_of_tiny_numbers_than_documented) {
  for (const int left : {0, 60, 100, -60, -100, -112, -120, -126, -140}) {
    for (const int right : {0, 20, -60, -100, -120, -126, -140}) {
      Operands in(40, 50, 100);
      for (float& x : in.a) x = std::ldexp(x, left);
      for (float& x : in.b) x = std::ldexp(x, right);
      const std::vector<float> got = by_parts(in);
      EXPECT_LE(errors_of(got, in).largest_beyond_flushed, 0x1p-22) << left << ", " << right;
    }
  }
}

TEST_F(Bf16x6, has_smaller_errors_than_fma) {
  for (const long k : {64, 128, 768, 3072}) {
    Operands in(64, 64, k);
    const double parts = errors_of(by_parts(in), in).root_mean_square,
                 fma = errors_of(by_fma(in), in).root_mean_square;
    EXPECT_LT(parts, 0.8 * fma) << k;
  }
}

TEST_F(Bf16x6, has_the_same_bits_for_every_cut) {
  for (const long k : {40, 800, 1700}) {
    const Operands in(333, 200, k);
    const std::vector<float> one = by_parts(in, 1);
    EXPECT_EQ(by_parts(in, 2), one);
    EXPECT_EQ(by_parts(in, 16), one);
  }
}

// Only rows of a panel with such sums are computed again, however blocks are cut.
TEST_F(Bf16x6, has_the_same_bits_for_every_cut_beside_what_is_not_finite) {
  for (const float special : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    Operands in(333, 200, 100);
    const std::vector<float> plain = by_parts(in);
    in.left(40, 3) = in.left(41, 99) = in.left(332, 0) = special;
    const std::vector<float> one = by_parts(in, 1);
    for (const long threads : {2, 16}) {
      const std::vector<float> cut = by_parts(in, threads);
      for (size_t i = 0; i < one.size(); ++i)
        EXPECT_TRUE(one[i] == cut[i] || (std::isnan(one[i]) && std::isnan(cut[i]))) << i;
    }
    for (const size_t row : {0U, 39U, 42U, 331U})
      EXPECT_TRUE(std::equal(&one[row * 200], &one[row * 200 + 200], &plain[row * 200])) << row;
  }
  Operands in(100, 200, 100);  // a column: the panels beside it keep their bits
  const std::vector<float> plain = by_parts(in);
  in.right(5, 70) = std::numeric_limits<float>::infinity();
  const std::vector<float> got = by_parts(in), fma = by_fma(in);
  for (size_t row = 0; row < 100; ++row) {
    for (size_t column = 0; column < 200; ++column) {
      const bool in_panel = column / 64 == 1;
      EXPECT_EQ(got[row * 200 + column], (in_panel ? fma : plain)[row * 200 + column]) << column;
    }
  }
}

TEST_F(Bf16x6, multiplies_what_has_few_bits_exactly) {
  Operands in(40, 50, 100);
  for (float& x : in.a) x = std::round(8 * x);
  for (float& x : in.b) x = std::round(8 * x);
  EXPECT_EQ(by_parts(in), by_fma(in));
}

// What such elements reach is that of fma.
TEST_F(Bf16x6, takes_infinities_nans_and_numbers_that_round_to_infinity) {
  const float infinity = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN(),
              most = std::numeric_limits<float>::max(), odd_nan = std::bit_cast<float>(0x7f800001U);
  for (const float special : {infinity, -infinity, nan, odd_nan, most, -most}) {
    for (const bool in_left : {true, false}) {
      Operands in(64, 128, 100);
      (in_left ? in.left(5, 99) : in.right(99, 5)) = special;
      const std::vector<float> got = by_parts(in), want = by_fma(in);
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(std::isnan(got[i]), std::isnan(want[i])) << special << ", " << i;
        if (std::isnan(want[i])) continue;
        if (!std::isfinite(want[i])) {
          EXPECT_EQ(got[i], want[i]) << special << ", " << i;
        } else {
          EXPECT_NEAR(got[i], want[i], 1e-4 + 1e-6 * std::abs(want[i])) << special << ", " << i;
        }
      }
    }
  }
  Operands in(16, 16, 32);  // FLT_MAX itself is multiplied by 1
  std::ranges::fill(in.a, 0.0F);
  std::ranges::fill(in.b, 0.0F);
  in.left(3, 7) = most, in.right(7, 2) = 1;
  in.left(4, 9) = 1, in.right(9, 5) = -most;
  EXPECT_EQ(by_parts(in), by_fma(in));
}

}  // namespace
}  // namespace vitro::kernels
