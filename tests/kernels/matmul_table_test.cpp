// Matrix product kernels of every instruction set, compared with plain loops: sizes, layouts,
// splits and blocks.
#include "kernels/matmul_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernels/machine.h"

namespace vitro::kernels {
namespace {

struct Set {
  std::string name;
  const MatmulKernels* table;
};

std::vector<Set> sets() {
  std::vector<Set> all = {{"baseline", kernels_ahead::baseline::matmul_table}};
#if defined(__x86_64__)
  if (machine_isa() >= Isa::avx2) all.push_back({"avx2", kernels_ahead::avx2::matmul_table});
  if (machine_isa() >= Isa::avx512) all.push_back({"avx512", kernels_ahead::avx512::matmul_table});
#endif
  return all;
}

int64_t tasks_of(const MatmulKernels& f, const MatmulCall& call) {
  return (call.b_row_stride > 0 ? f.cut_plain : f.cut)(call.m, call.n, call.k, call.threads).count;
}

struct Size {
  int64_t m, n, k;
};

const Size sizes[] = {{1, 1, 1},     {1, 40, 3},     {2, 32, 16},    {3, 33, 17},
                      {5, 7, 0},     {6, 16, 5},     {7, 48, 9},     {12, 64, 31},
                      {13, 31, 64},  {23, 95, 40},   {25, 130, 100}, {128, 65, 20},
                      {9, 20, 1700}, {97, 140, 770}, {300, 300, 2},  {140, 200, 390}};

enum class Layout { rows, columns, columns_apart, spread };
enum class Right { packed, packed_transposed, as_it_lies };

// Small numbers whose products are rounded.
template <class T>
std::vector<T> numbers(int64_t count, int seed) {
  std::vector<T> v(count);
  for (int64_t i = 0; i < count; ++i) v[i] = T((i * 7919 + seed) % 101 - 50) / T(37);
  return v;
}

template <class T>
struct Product {
  Size size;
  std::vector<T> a, b, bias, want;
  int64_t a_row, a_column;

  Product(Size s, Layout layout) : size(s) {
    switch (layout) {
      case Layout::rows:
        a_row = s.k + 3, a_column = 1;
        break;
      case Layout::columns:
        a_row = 1, a_column = s.m + 1;
        break;
      case Layout::columns_apart:  // by more than a page
        a_row = 1, a_column = s.m + 1100;
        break;
      case Layout::spread:
        a_row = 2 * s.k, a_column = 2;
        break;
    }
    a = numbers<T>(a_row * s.m + a_column * s.k + 1, 1);
    b = numbers<T>(s.k * s.n, 2);
    bias = numbers<T>(s.n, 3);
    want.resize(s.m * s.n);
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < s.k; ++p)
          sum = std::fma(a[i * a_row + p * a_column], b[p * s.n + j], sum);
        want[i * s.n + j] = sum + bias[j];
      }
    }
  }

  // Computes C with one set of kernels. Rows of C are two elements longer than needed, to detect
  // writes after their end.
  std::vector<T> run(const MatmulKernels& f, int64_t threads, Right right) const {
    const bool b_transposed = right == Right::packed_transposed;
    std::vector<T> packed(f.packed_size(size.k, size.n) + 1), c((size.n + 2) * size.m, T(-99));
    std::vector<T> turned(b.size());
    for (int64_t p = 0; p < size.k; ++p) {
      for (int64_t j = 0; j < size.n; ++j) turned[j * size.k + p] = b[p * size.n + j];
    }
    packed.back() = T(-99);
    f.pack(b_transposed ? turned.data() : b.data(), b_transposed ? 1 : size.n,
           b_transposed ? size.k : 1, size.k, size.n, packed.data(), 0, f.panel_count(size.n));
    EXPECT_EQ(packed.back(), T(-99));
    MatmulCall call{size.m,        size.n,   size.k,     a.data(),    a_row,  a_column,
                    packed.data(), c.data(), size.n + 2, bias.data(), threads};
    if (right == Right::as_it_lies) call.b = b.data(), call.b_row_stride = size.n;
    for (int64_t t = tasks_of(f, call); t-- > 0;) f.run(call, t, t + 1);
    std::vector<T> dense;
    for (int64_t i = 0; i < size.m; ++i) {
      dense.insert(dense.end(), c.begin() + i * (size.n + 2),
                   c.begin() + i * (size.n + 2) + size.n);
      EXPECT_EQ(c[i * (size.n + 2) + size.n], T(-99));
    }
    return dense;
  }
};

template <class T>
void check(MatmulType type) {
  for (const Size& size : sizes) {
    for (Layout layout : {Layout::rows, Layout::columns, Layout::columns_apart, Layout::spread}) {
      Product<T> product(size, layout);
      for (const Set& set : sets()) {
        for (const Right right : {Right::packed, Right::packed_transposed, Right::as_it_lies}) {
          if (right == Right::as_it_lies && layout == Layout::spread) continue;
          const int64_t threads = right == Right::packed ? 1 : 4;
          std::vector<T> got = product.run(set.table[int(type)], threads, right);
          EXPECT_EQ(std::memcmp(got.data(), product.want.data(), got.size() * sizeof(T)), 0)
              << set.name << ": " << size.m << " x " << size.k << " x " << size.n << ", layout "
              << int(layout) << ", right operand " << int(right);
        }
      }
    }
  }
}

// The reference is a chain of fmas along k, which is the documented order.
TEST(Matmul, f32_gives_the_bits_of_the_plain_loop_for_every_size_layout_split_and_machine) {
  check<float>(MatmulType::f32);
}
TEST(Matmul, f64_gives_the_bits_of_the_plain_loop_for_every_size_layout_split_and_machine) {
  check<double>(MatmulType::f64);
}

uint16_t bf16_of(float x) {
  uint32_t u;
  std::memcpy(&u, &x, 4);
  return uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
float from_bf16(uint16_t h) {
  uint32_t u = uint32_t{h} << 16;
  float x;
  std::memcpy(&x, &u, 4);
  return x;
}

TEST(Matmul, bf16_is_added_up_in_f32_and_rounded_once) {
  constexpr int64_t m = 5, n = 37, k = 50;
  std::vector<uint16_t> a(m * k), b(k * n), c(m * n);
  for (int64_t i = 0; i < m * k; ++i) a[i] = bf16_of(float(i % 17 - 8) / 3);
  for (int64_t i = 0; i < k * n; ++i) b[i] = bf16_of(float(i % 13 - 6) / 5);
  for (const Set& set : sets()) {
    const MatmulKernels& f = set.table[int(MatmulType::bf16)];
    std::vector<uint16_t> packed(f.packed_size(k, n));
    f.pack(b.data(), n, 1, k, n, packed.data(), 0, f.panel_count(n));
    MatmulCall call{m, n, k, a.data(), k, 1, packed.data(), c.data(), n, nullptr, 1};
    f.run(call, 0, tasks_of(f, call));
    for (int64_t i = 0; i < m * n; ++i) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum = std::fma(from_bf16(a[i / n * k + p]), from_bf16(b[p * n + i % n]), sum);
      ASSERT_EQ(c[i], bf16_of(sum)) << set.name << " element " << i;
    }
  }
}

float from_f16(uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const float size = exponent == 0 ? std::ldexp(float(fraction), -24)
                                   : std::ldexp(float(1024 + fraction), exponent - 25);
  return h & 0x8000 ? -size : size;
}

// f16 or bf16 numbers with magnitudes between 1/8 and 8, of both signs.
std::vector<uint16_t> halves(int64_t count, bool bf16) {
  std::vector<uint16_t> v(count);
  for (int64_t i = 0; i < count; ++i) {
    const auto random = static_cast<uint32_t>(i * 2654435761u);
    const uint32_t sign = random >> 16 & 0x8000;
    v[i] =
        static_cast<uint16_t>(sign | (bf16 ? 0x3e00 + random % 0x300 : 0x3000 + random % 0x1800));
  }
  return v;
}

void check_halves(MatmulType type, float (*value)(uint16_t), double step) {
  constexpr int64_t m = 23, n = 37, k = 600;
  const std::vector<uint16_t> a = halves(m * k, type == MatmulType::bf16),
                              b = halves(k * n, type == MatmulType::bf16);
  for (const Set& set : sets()) {
    const MatmulKernels& f = set.table[int(type)];
    std::vector<uint16_t> packed(f.packed_size(k, n)), c(m * n);
    f.pack(b.data(), n, 1, k, n, packed.data(), 0, f.panel_count(n));
    MatmulCall call{m, n, k, a.data(), k, 1, packed.data(), c.data(), n, nullptr, 1};
    f.run(call, 0, tasks_of(f, call));
    for (int64_t i = 0; i < m * n; ++i) {
      double exact = 0, size = 0;
      for (int64_t p = 0; p < k; ++p) {
        const double product = double{value(a[i / n * k + p])} * value(b[p * n + i % n]);
        exact += product, size += std::fabs(product);
      }
      const double most = step / 2 * std::fabs(exact) + k * 0x1p-24 * size;
      ASSERT_NEAR(value(c[i]), exact, most) << set.name << " element " << i;
    }
  }
}

TEST(Matmul, f16_is_close_to_sums_in_double) {
  check_halves(MatmulType::f16, from_f16, 0x1p-10);
}
TEST(Matmul, bf16_is_close_to_sums_in_double) {
  check_halves(MatmulType::bf16, from_bf16, 0x1p-7);
}

// One block of a product. B is packed into panels or read in its own layout, with or without
// keeping panels of it for later tiles. k is split into two parts; rows of sums are longer than the
// block.
template <class T>
void check_multiply(MatmulType type, const Size& size) {
  const Product<T> product(size, Layout::rows);
  for (const Set& set : sets()) {
    const MatmulKernels& f = set.table[int(type)];
    const int64_t wide = (size.n + 15) / 16 * 16, stride = wide + 5, cut = size.k / 3;
    std::vector<T> packed(f.packed_size(size.k, size.n));
    f.pack(product.b.data(), size.n, 1, size.k, size.n, packed.data(), 0, f.panel_count(size.n));
    const auto multiply_plain = [&f](const ProductCall& call) { f.multiply_plain(call, call.b); };
    for (const std::string how : {"packed", "plain", "plain, kept"}) {
      const bool plain = how != "packed";
      const std::function<void(const ProductCall&)> multiply =
          how == "plain, kept" ? multiply_plain
                               : std::function<void(const ProductCall&)>(f.multiply);
      std::vector<T> c(size.m * stride, T(-99));
      ProductCall call{size.m,           size.n,           cut,           product.a.data(),
                       product.a_row,    product.a_column, packed.data(), f.width,
                       size.k * f.width, c.data(),         stride,        false};
      if (plain)
        call.b = product.b.data(), call.b_row_stride = size.n, call.b_panel_stride = f.width;
      multiply(call);
      call.a = product.a.data() + cut * product.a_column;
      call.b = (const T*)call.b + cut * call.b_row_stride;
      call.k = size.k - cut, call.add = true;
      multiply(call);
      for (int64_t i = 0; i < size.m * stride; ++i) {
        const int64_t row = i / stride, column = i % stride;
        if (column < size.n) {
          const T sum = c[i] + product.bias[column];
          ASSERT_EQ(sum, product.want[row * size.n + column])
              << set.name << " row " << row << " column " << column << ", " << how;
        } else if (column >= wide) {
          ASSERT_EQ(c[i], T(-99)) << set.name << " row " << row << " column " << column;
        }
      }
    }
  }
}

TEST(Matmul, parts_of_a_product_add_up_with_the_bits_of_the_whole) {
  for (const Size& size : sizes) {
    check_multiply<float>(MatmulType::f32, size);
    check_multiply<double>(MatmulType::f64, size);
  }
}

// What follows the sums of one block: keeps them, and expects each once.
template <class T>
class Following {
 public:
  Following(int64_t rows, int64_t columns)
      : at_{7, rows, 300, columns}, sums_(rows * columns), seen_(rows * columns) {}
  const ProductFinish* finish() {
    finish_ = {[](const void* self, const ProductBlock& part, const void* sums, long stride) {
                 const auto* of = static_cast<const Following*>(self);
                 const_cast<Following*>(of)->take(part, static_cast<const T*>(sums), stride);
               },
               this, at_.row, at_.column};
    return &finish_;
  }
  const std::vector<T>& sums(const std::string& what) const {
    EXPECT_EQ(std::count(seen_.begin(), seen_.end(), 1), at_.rows * at_.columns) << what;
    return sums_;
  }

 private:
  void take(const ProductBlock& part, const T* sums, int64_t stride) {
    for (int64_t i = 0; i < part.rows; ++i) {
      for (int64_t j = 0; j < part.columns; ++j) {
        const int64_t row = part.row - at_.row + i, column = part.column - at_.column + j;
        ASSERT_TRUE(row >= 0 && row < at_.rows && column >= 0 && column < at_.columns);
        sums_[row * at_.columns + column] = sums[i * stride + j];
        ++seen_[row * at_.columns + column];
      }
    }
  }
  ProductBlock at_;
  std::vector<T> sums_;
  std::vector<int> seen_;
  ProductFinish finish_{};
};

template <class T>
void check_following(MatmulType type, const Size& size, Layout layout) {
  const Product<T> product(size, layout);
  for (const Set& set : sets()) {
    const MatmulKernels& f = set.table[int(type)];
    const int64_t stride = (size.n + 15) / 16 * 16;
    std::vector<T> packed(f.packed_size(size.k, size.n)), c(size.m * stride);
    f.pack(product.b.data(), size.n, 1, size.k, size.n, packed.data(), 0, f.panel_count(size.n));
    for (const int64_t before : {int64_t{0}, size.k / 2}) {  // rows of B that are added earlier
      ProductCall call{size.m,           size.n,           before,        product.a.data(),
                       product.a_row,    product.a_column, packed.data(), f.width,
                       size.k * f.width, c.data(),         stride,        false};
      if (before > 0) f.multiply(call);
      call.a = product.a.data() + before * product.a_column;
      call.b = packed.data() + before * f.width;
      call.k = size.k - before, call.add = before > 0;
      Following<T> following(size.m, size.n);
      call.finish = following.finish();
      f.multiply(call);
      const std::vector<T>& sums = following.sums(set.name);
      for (int64_t i = 0; i < size.m * size.n; ++i)
        ASSERT_EQ(sums[i] + product.bias[i % size.n], product.want[i]) << set.name << " sum " << i;
    }
  }
}

TEST(Matmul, what_follows_the_sums_runs_once_for_each_when_it_is_complete) {
  for (const Size& size : sizes) {
    for (const Layout layout : {Layout::rows, Layout::columns, Layout::spread}) {
      check_following<float>(MatmulType::f32, size, layout);
      check_following<double>(MatmulType::f64, size, layout);
    }
  }
}

// Sums over 3x3 windows of two images, with and without what follows them.
template <class T>
void check_following_windows(MatmulType type, int64_t channels, int64_t n, bool depthwise,
                             int64_t width = 7) {
  constexpr int64_t images = 2, height = 9;
  const int64_t rows = images * height * width;
  const int64_t of_position = depthwise ? n : channels, of_window = depthwise ? 1 : channels;
  const Windows windows{{1, height, width},
                        {1, height, width},
                        {1, 3, 3},
                        {1, 1, 1},
                        {1, 1, 1},
                        {0, 1, 1},
                        {0, width * of_position, of_position},
                        height * width * of_position,
                        of_window};
  const std::vector<T> x = numbers<T>(rows * of_position, 1), w = numbers<T>(9 * of_window * n, 2);
  for (const Set& set : sets()) {
    const MatmulKernels& f = set.table[int(type)];
    const int64_t stride = (n + 15) / 16 * 16;
    std::vector<T> packed(f.packed_size(9 * of_window, n)), c(rows * stride), unused(rows * stride);
    f.pack_taps(w.data(), 9, 1, of_window * n, n, 1, of_window, n, packed.data(), 0,
                f.panel_count(n));
    WindowsCall call{0,        rows,  n, x.data(), &windows, packed.data(), 9 * of_window * f.width,
                     c.data(), stride};
    const auto multiply = depthwise ? f.multiply_depthwise : f.multiply_windows;
    multiply(call);
    Following<T> following(rows, n);
    call.c = unused.data(), call.finish = following.finish();
    multiply(call);
    const std::vector<T>& sums = following.sums(set.name);
    for (int64_t i = 0; i < rows * n; ++i)
      ASSERT_EQ(sums[i], c[i / n * stride + i % n]) << set.name << " sum " << i;
  }
}

TEST(Matmul, what_follows_the_sums_of_windows_runs_once_for_each) {
  for (const int64_t n : {1, 16, 33, 64, 130}) {
    for (const int64_t channels : {0, 1, 20, 300}) {
      check_following_windows<float>(MatmulType::f32, channels, n, false);
      check_following_windows<double>(MatmulType::f64, channels, n, false);
    }
    check_following_windows<float>(MatmulType::f32, 1, n, true);
    check_following_windows<double>(MatmulType::f64, 1, n, true);
  }
  for (const int64_t width : {1, 2, 3, 16, 29, 70}) {  // eight channels: two positions at a time
    for (const int64_t n : {8, 40}) {
      check_following_windows<float>(MatmulType::f32, 1, n, true, width);
      check_following_windows<double>(MatmulType::f64, 1, n, true, width);
    }
  }
}

struct PlaneSize {
  int64_t height, width, channels, taps, stride, dilation, padding;
};
// Of two images: their windows, if channels are next to one another, and if they are planes.
std::pair<Windows, Windows> windows_of(const PlaneSize& s) {
  const int64_t reach = (s.taps - 1) * s.dilation + 1,
                high = (s.height + 2 * s.padding - reach) / s.stride + 1,
                wide = (s.width + 2 * s.padding - reach) / s.stride + 1;
  Windows next{{1, s.height, s.width},
               {1, high, wide},
               {1, s.taps, s.taps},
               {1, s.stride, s.stride},
               {1, s.dilation, s.dilation},
               {0, s.padding, s.padding},
               {0, s.width * s.channels, s.channels},
               s.height * s.width * s.channels,
               s.channels};
  Windows planes = next;
  planes.position_stride[1] = s.width, planes.position_stride[2] = 1;
  planes.channel_stride = s.height * s.width;
  return {next, planes};
}

void check_planes(const PlaneSize& s, int64_t n) {
  const auto [next, planes] = windows_of(s);
  ASSERT_TRUE(has_plane_strips(s.channels, s.taps, s.taps, s.stride, s.dilation));
  const int64_t plane = s.height * s.width, k = s.taps * s.taps * s.channels,
                rows = 2 * next.out[1] * next.out[2], stride = (n + 15) / 16 * 16;
  const std::vector<float> x = numbers<float>(2 * s.channels * plane, 1),
                           w = numbers<float>(k * n, 2);
  std::vector<float> turned(x.size());
  for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
    const int64_t image = i / (s.channels * plane), channel = i / plane % s.channels;
    turned[(image * plane + i % plane) * s.channels + channel] = x[i];
  }
  for (const Set& set : sets()) {
    const MatmulKernels& f = set.table[int(MatmulType::f32)];
    std::vector<float> packed(f.packed_size(k, n)), want(rows * stride), got(rows * stride, -1.0F);
    f.pack_taps(w.data(), s.taps * s.taps, 1, s.channels * n, n, 1, s.channels, n, packed.data(), 0,
                f.panel_count(n));
    WindowsCall call{0,           rows,        n,     turned.data(), &next, packed.data(),
                     k * f.width, want.data(), stride};
    f.multiply_windows(call);
    call.x = x.data(), call.windows = &planes, call.c = got.data();
    f.multiply_windows(call);
    Following<float> following(rows, n);
    call.finish = following.finish();
    f.multiply_windows(call);
    const std::vector<float>& sums = following.sums(set.name);
    for (int64_t i = 0; i < rows * n; ++i) {
      ASSERT_EQ(got[i / n * stride + i % n], want[i / n * stride + i % n]) << set.name << " " << i;
      ASSERT_EQ(sums[i], want[i / n * stride + i % n]) << set.name << " sum " << i;
    }
  }
}

TEST(Matmul, windows_over_planes_have_the_sums_of_those_over_contiguous_channels) {
  for (const int64_t n : {1, 8, 16, 33, 50, 70}) {
    check_planes({9, 7, 3, 3, 1, 1, 1}, n);
    check_planes({11, 150, 3, 3, 2, 1, 1}, n);
    check_planes({9, 70, 1, 5, 1, 2, 4}, n);
    check_planes({13, 40, 2, 3, 3, 1, 0}, n);
    check_planes({8, 32, 3, 4, 4, 1, 0}, n);
    check_planes({5, 6, 5, 2, 2, 3, 3}, n);
  }
}

TEST(Matmul, windows_over_planes_have_strips_if_they_are_few_and_near) {
  EXPECT_TRUE(has_plane_strips(3, 3, 3, 2, 1));
  EXPECT_TRUE(has_plane_strips(3, 7, 7, 2, 1));
  EXPECT_FALSE(has_plane_strips(16, 3, 3, 1, 1));    // channels fill a vector
  EXPECT_FALSE(has_plane_strips(3, 16, 16, 16, 1));  // a strip for each element of a window
  EXPECT_FALSE(has_plane_strips(1, 1, 2, 1, 17));    // a window is longer than a strip
}

// Windows of two images over positions as rows of B.
template <class T>
class OverPositions {
 public:
  OverPositions(const Windows& windows, int64_t channels, int64_t n, bool by_taps)
      : windows_(windows),
        by_taps_(by_taps),
        taps_(windows.taps[1] * windows.taps[2]),
        rows_(channels * taps_),
        n_(n),
        depth_(2 * windows.out[1] * windows.out[2]),
        x_(numbers<T>(2 * windows.image_stride, 1)),
        b_(numbers<T>(depth_ * n + product_plain_columns<T>, 2)),
        want_(rows_ * n) {
    for (int64_t i = 0; i < rows_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < depth_; ++p) sum = std::fma(element(i, p), b_[p * n_ + j], sum);
        want_[i * n_ + j] = sum;
      }
    }
  }

  void check(const Set& set, MatmulType type, bool turned, int64_t threads) const {
    const MatmulKernels& f = set.table[int(type)];
    const ProductCut cut = (turned ? f.cut_plain_turned : f.cut_plain)(rows_, n_, depth_, threads);
    for (int64_t task = 0; task < cut.count; ++task) {
      const ProductBlock at = cut.block(task);
      constexpr int64_t stride = product_plain_columns<T>;
      std::vector<T> sums(product_plain_sums<T> + 1, T(-99));
      ProductCall call{at.rows,
                       at.columns,
                       depth_,
                       x_.data(),
                       by_taps_ ? 1 : taps_,
                       by_taps_ ? windows_.channels : 1,
                       b_.data() + at.column,
                       n_,
                       0,
                       sums.data(),
                       stride,
                       false};
      call.windows = &windows_, call.windows_row = at.row;
      f.multiply_plain(call, b_.data() + cut.block(task + 1).column);
      ASSERT_EQ(sums.back(), T(-99));
      for (int64_t i = 0; i < at.rows; ++i) {
        for (int64_t j = 0; j < at.columns; ++j) {
          ASSERT_EQ(sums[i * stride + j], want_[(at.row + i) * n_ + at.column + j])
              << set.name << ": " << rows_ << " x " << depth_ << " x " << n_ << ", row "
              << at.row + i << ", column " << at.column + j;
        }
      }
    }
  }

 private:
  // Of the left operand: row `row`, column `position`.
  T element(int64_t row, int64_t position) const {
    const int64_t tap = by_taps_ ? row / windows_.channels : row % taps_,
                  channel = by_taps_ ? row % windows_.channels : row / taps_,
                  plane = windows_.out[1] * windows_.out[2];
    const int64_t tap_at[2] = {tap / windows_.taps[2], tap % windows_.taps[2]};
    const int64_t at[2] = {position % plane / windows_.out[2], position % windows_.out[2]};
    int64_t from = position / plane * windows_.image_stride + channel;
    for (int d = 0; d < 2; ++d) {
      const int64_t place = at[d] * windows_.stride[d + 1] + tap_at[d] * windows_.dilation[d + 1] -
                            windows_.padding[d + 1];
      if (place < 0 || place >= windows_.size[d + 1]) return 0;
      from += place * windows_.position_stride[d + 1];
    }
    return x_[from];
  }

  Windows windows_;
  bool by_taps_;  // the order of the rows
  int64_t taps_, rows_, n_, depth_;
  std::vector<T> x_, b_, want_;
};

void check_over_positions(const PlaneSize& s, int64_t n) {
  const Windows windows = windows_of(s).first;
  for (const bool by_taps : {false, true}) {
    const OverPositions<float> f32s(windows, s.channels, n, by_taps);
    const OverPositions<double> f64s(windows, s.channels, n, by_taps);
    for (const Set& set : sets()) {
      for (const bool turned : {false, true}) {
        for (const int64_t threads : {1, 3}) {
          f32s.check(set, MatmulType::f32, turned, threads);
          f64s.check(set, MatmulType::f64, turned, threads);
        }
      }
    }
  }
}

TEST(Matmul, windows_over_positions_have_the_bits_of_the_plain_loop) {
  for (const int64_t n : {1, 8, 16, 33, 64, 130}) {
    check_over_positions({9, 7, 20, 3, 1, 1, 1}, n);
    check_over_positions({11, 30, 3, 3, 2, 1, 1}, n);
    check_over_positions({8, 9, 17, 2, 1, 3, 0}, n);
    check_over_positions({5, 6, 150, 1, 1, 1, 0}, n);
    check_over_positions({13, 12, 2, 3, 3, 2, 4}, n);
    check_over_positions({4, 4, 1, 4, 4, 1, 0}, n);
  }
}

void check_blocks(ProductCut (*cut_of)(long, long, long, long), int64_t rows, int64_t columns,
                  int64_t row_unit = 1) {
  for (const Size& size : sizes) {
    for (const int64_t threads : {1, 2, 64}) {
      const ProductCut cut = cut_of(size.m, size.n, size.k, threads);
      std::vector<int> seen(size.m * size.n);
      for (int64_t t = 0; t < cut.count; ++t) {
        const ProductBlock at = cut.block(t);
        ASSERT_LE(at.rows, rows);
        ASSERT_LE(at.columns, columns);
        ASSERT_EQ(at.row % row_unit, 0);
        for (int64_t i = 0; i < at.rows * at.columns; ++i)
          ++seen[(at.row + i / at.columns) * size.n + at.column + i % at.columns];
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), size.m * size.n);
    }
  }
}

TEST(Matmul, blocks_cover_the_product_once) {
  for (const Set& set : sets()) {
    check_blocks(set.table[0].cut, product_rows, product_columns<float>);
    check_blocks(set.table[0].cut_plain, product_plain_rows, product_plain_columns<float>);
    check_blocks(set.table[1].cut_plain, product_plain_rows, product_plain_columns<double>);
  }
}

TEST(Matmul, blocks_that_are_turned_over_start_at_whole_vectors_of_rows) {
  for (const Set& set : sets()) {
    check_blocks(set.table[0].cut_turned, product_rows, product_columns<float>, 16);
    check_blocks(set.table[1].cut_turned, product_rows, product_columns<double>, 16);
    check_blocks(set.table[0].cut_plain_turned, product_plain_rows, product_plain_columns<float>,
                 16);
    check_blocks(set.table[1].cut_plain_turned, product_plain_rows, product_plain_columns<double>,
                 16);
  }
}

template <class T>
void check_turn(const MatmulKernels& f) {
  constexpr int64_t from_stride = 64, to_stride = 80;
  std::vector<T> from(80 * from_stride);
  for (size_t i = 0; i < from.size(); ++i) from[i] = T(i);
  for (const int64_t rows : {1, 15, 16, 17, 80}) {
    for (const int64_t columns : {1, 15, 16, 33, 64}) {
      std::vector<T> to(columns * to_stride + 1, T(-99));
      f.turn(from.data(), from_stride, rows, columns, to.data(), to_stride);
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = 0; i < rows; ++i)
          ASSERT_EQ(to[j * to_stride + i], from[i * from_stride + j]);
      }
      EXPECT_EQ(to.back(), T(-99)) << rows << " rows, " << columns << " columns";
    }
  }
}

TEST(Matmul, sums_are_turned_over) {
  for (const Set& set : sets()) {
    check_turn<float>(set.table[0]);
    check_turn<double>(set.table[1]);
  }
}

TEST(Matmul, an_empty_product_has_no_tasks) {
  const MatmulKernels& f = matmul_kernels(MatmulType::f32);
  MatmulCall call{0, 5, 3, nullptr, 3, 1, nullptr, nullptr, 5, nullptr, 1};
  EXPECT_EQ(tasks_of(f, call), 0);
  call.m = 5, call.n = 0;
  EXPECT_EQ(tasks_of(f, call), 0);
}

}  // namespace
}  // namespace vitro::kernels
