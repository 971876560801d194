// The order of sums depends on the shape alone: checked bit by bit against plain loops that follow
// the rule at the top of vitro/ops/reduce.h.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "eager/eager.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

class Order : public testing::Test {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

int64_t count(const Dims& sizes) {
  int64_t all = 1;
  for (const int64_t size : sizes) all *= size;
  return all;
}

Tensor noise(std::initializer_list<int64_t> sizes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 100.0F);
  Tensor x = Tensor::empty(sizes);
  auto* p = x.data<float>();
  for (int64_t i = 0; i < x.numel().value(); ++i) p[i] = normal(random);
  return x;
}

using Lanes = std::array<float, ops::reduction_lanes>;

// T(m) = T(p) + T(m - p), p the largest power of two below m.
Lanes tree(const Lanes* blocks, size_t m) {
  if (m == 1) return blocks[0];
  const size_t p = std::bit_floor(m - 1);
  const Lanes a = tree(blocks, p), b = tree(blocks + p, m - p);
  Lanes out;
  for (size_t i = 0; i < out.size(); ++i) out[i] = a[i] + b[i];
  return out;
}

// The sum of `outer` rows of n elements, with `lanes` accumulators.
template <class At>
float expected(int64_t outer, int64_t n, int64_t lanes, At at) {
  std::vector<Lanes> blocks;
  for (int64_t r = 0; r < outer; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      if (i % (lanes * ops::reduction_steps) == 0) blocks.push_back({});
      blocks.back()[static_cast<size_t>(i % lanes)] += at(r, i);
    }
  }
  Lanes lane = tree(blocks.data(), blocks.size());
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half; ++i)
      lane[static_cast<size_t>(i)] += lane[static_cast<size_t>(i + half)];
  }
  return lane[0];
}
template <class At>
float expected_row(int64_t outer, int64_t n, At at) {
  return expected(outer, n, ops::reduction_lanes, at);
}

TEST_F(Order, the_last_dimension_goes_to_sixteen_lanes) {
  for (const int64_t n : {1, 5, 16, 17, 100, 256, 257, 1000, 1024, 2500}) {
    const Tensor x = noise({3, n}, static_cast<unsigned>(n));
    const auto got = sum(x, {1}).to_vector<float>();
    const auto* p = x.const_data<float>();
    for (int64_t r = 0; r < 3; ++r) {
      const float want = expected_row(1, n, [&](int64_t, int64_t i) { return p[r * n + i]; });
      EXPECT_EQ(got[static_cast<size_t>(r)], want) << n;
    }
  }
}

TEST_F(Order, long_rows_are_cut_into_blocks) {
  for (const int64_t n : {4097, 8192, 100000, 300001}) {
    const Tensor x = noise({2, n}, static_cast<unsigned>(n));
    const auto got = sum(x, {1}).to_vector<float>();
    const auto* p = x.const_data<float>();
    for (int64_t r = 0; r < 2; ++r) {
      const float want = expected_row(1, n, [&](int64_t, int64_t i) { return p[r * n + i]; });
      EXPECT_EQ(got[static_cast<size_t>(r)], want) << n;
    }
  }
}

TEST_F(Order, outer_dimensions_follow_one_another) {
  for (const int64_t n : {7, 50, 5000}) {
    const Tensor x = noise({4, 3, n}, static_cast<unsigned>(n));  // dimensions 0 and 2 are reduced
    const auto got = sum(x, {0, 2}).to_vector<float>();
    const auto* p = x.const_data<float>();
    for (int64_t k = 0; k < 3; ++k) {
      const float want =
          expected_row(4, n, [&](int64_t r, int64_t i) { return p[(r * 3 + k) * n + i]; });
      EXPECT_EQ(got[static_cast<size_t>(k)], want) << n;
    }
  }
}

TEST_F(Order, kept_last_dimensions_use_a_single_lane) {
  for (const int64_t n : {3, 16, 17, 100, 4096, 9000}) {
    for (const int64_t columns : {7, 70, 600}) {
      const Tensor x = noise({n, columns}, static_cast<unsigned>(n));
      const auto got = sum(x, {0}).to_vector<float>();
      const auto* p = x.const_data<float>();
      for (int64_t c = 0; c < columns; ++c) {
        const float want =
            expected(1, n, 1, [&](int64_t, int64_t i) { return p[i * columns + c]; });
        EXPECT_EQ(got[static_cast<size_t>(c)], want) << n;
      }
    }
  }
}

TEST_F(Order, outer_dimensions_of_columns_follow_one_another) {
  for (const int64_t n : {2, 16, 40}) {
    const Tensor x = noise({5, 3, n, 33}, static_cast<unsigned>(n));  // over dimensions 0 and 2
    const auto got = sum(x, {0, 2}).to_vector<float>();
    const auto* p = x.const_data<float>();
    for (int64_t k = 0; k < 3; ++k) {
      for (int64_t c = 0; c < 33; ++c) {
        const float want = expected(
            5, n, 1, [&](int64_t r, int64_t i) { return p[((r * 3 + k) * n + i) * 33 + c]; });
        EXPECT_EQ(got[static_cast<size_t>(k * 33 + c)], want) << n;
      }
    }
  }
}

TEST_F(Order, layout_and_threads_do_not_change_a_bit) {
  const Tensor x = noise({64, 70, 80}, 1);
  const Tensor turned = clone(permute(x, {2, 0, 1}), ops::MemoryFormat::contiguous);
  const Tensor back = permute(turned, {1, 2, 0});
  const int before = num_threads();
  for (const Dims& dims : {Dims{2}, Dims{0}, Dims{1}, Dims{0, 1}, Dims{0, 2}, Dims{}}) {
    set_num_threads(1);
    const auto one = sum(x, dims).to_vector<float>();
    EXPECT_EQ(sum(back, dims).to_vector<float>(), one) << cat(dims);
    set_num_threads(4);
    EXPECT_EQ(sum(x, dims).to_vector<float>(), one) << cat(dims);
    EXPECT_EQ(sum(back, dims).to_vector<float>(), one) << cat(dims);
  }
  set_num_threads(before);
}

TEST_F(Order, columns_are_folded_in_tiles_as_in_rows) {
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64}) {
    for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 40}, {15, 33}, {64, 16}, {65, 17}, {300, 5}, {1030, 70}}) {
      const Tensor x =
          to(mul(view(noise({rows * columns * 2}, 3), {rows, 2, columns}), 9.0), dtype);
      const Tensor turned =
          permute(clone(permute(x, {2, 1, 0}), ops::MemoryFormat::contiguous), {2, 1, 0});
      const Tensor apart =
          permute(clone(permute(x, {1, 0, 2}), ops::MemoryFormat::contiguous), {1, 0, 2});
      const Tensor folded = sum(x, {0});
      for (const Tensor& other : {turned, apart, slice(cat({x, x}, 2), 2, 0, columns)}) {
        EXPECT_EQ(to(sum(other, {0}), DType::f64).to_vector<double>(),
                  to(folded, DType::f64).to_vector<double>())
            << cat(dtype, " ", rows, " ", columns);
        EXPECT_EQ(argmax(other, 0).to_vector<int64_t>(), argmax(x, 0).to_vector<int64_t>());
      }
    }
  }
}

// A tile holds rows of every width that strips of columns have, cut into whole blocks.
TEST_F(Order, casting_columns_does_not_change_a_bit) {
  for (const int64_t columns : {5, 16, 20, 33, 40, 48, 49, 70}) {
    for (const int64_t rows : {15, 33, 40, 200}) {
      const Tensor x = cos(noise({rows, columns}, 5));
      EXPECT_EQ(prod(x, 0, false, DType::f64).to_vector<double>(),
                prod(to(x, DType::f64), 0).to_vector<double>())
          << rows << " " << columns;
      const Tensor half = to(x, DType::f16);
      EXPECT_EQ(sum(half, {0}, false, DType::f32).to_vector<float>(),
                sum(to(half, DType::f32), {0}).to_vector<float>())
          << rows << " " << columns;
    }
  }
}

TEST_F(Order, long_reductions_are_cut_among_threads_along_the_tree) {
  const int before = num_threads();
  for (const auto& [sizes, dims] : std::vector<std::pair<Dims, Dims>>{{{3000001}, {0}},
                                                                      {{300, 2, 5000}, {0, 2}},
                                                                      {{200003, 5}, {0}},
                                                                      {{700, 3, 900, 2}, {0, 2}}}) {
    Sizes shape;
    for (const int64_t size : sizes) shape.push_back(size);
    const Tensor x = view(noise({count(sizes)}, 9), shape);
    set_num_threads(1);
    const auto one = sum(x, dims).to_vector<float>();
    const auto most = argmax(view(x, {-1})).item<int64_t>();
    for (const int threads : {2, 3, 8}) {
      set_num_threads(threads);
      EXPECT_EQ(sum(x, dims).to_vector<float>(), one) << cat(sizes) << " " << threads;
      EXPECT_EQ(argmax(view(x, {-1})).item<int64_t>(), most);
    }
  }
  set_num_threads(before);
}

TEST_F(Order, rows_that_lie_across_each_other_in_memory) {
  for (const int64_t n : {2, 15, 16, 17, 100, 256, 300, 5000}) {
    for (const int64_t rows : {3, 8, 40, 300}) {
      const Tensor x = noise({n, rows}, static_cast<unsigned>(n));
      const auto got = sum(t(x), {1}).to_vector<float>();
      const auto* p = x.const_data<float>();
      for (int64_t r = 0; r < rows; ++r) {
        const float want = expected_row(1, n, [&](int64_t, int64_t i) { return p[i * rows + r]; });
        EXPECT_EQ(got[static_cast<size_t>(r)], want) << n;
      }
      const Tensor same = contiguous(t(x));
      EXPECT_EQ(argmax(t(x), 1).to_vector<int64_t>(), argmax(same, 1).to_vector<int64_t>());
      const auto near_one = [](const Tensor& v) { return to(v, DType::f64) * 1e-3 + 1; };
      EXPECT_EQ(prod(t(near_one(x)), {1}).to_vector<double>(),
                prod(near_one(same), {1}).to_vector<double>());
      EXPECT_EQ(to(sum(t(to(x, DType::f16)), {1}), DType::f32).to_vector<float>(),
                to(sum(to(same, DType::f16), {1}), DType::f32).to_vector<float>());
    }
  }
}

TEST_F(Order, products_add_along_k_with_one_rounding_each) {
  const Tensor a = noise({13, 50}, 3), b = noise({50, 37}, 4);
  const auto got = mm(a, b).to_vector<float>();
  const auto *pa = a.const_data<float>(), *pb = b.const_data<float>();
  for (int64_t i = 0; i < 13; ++i) {
    for (int64_t j = 0; j < 37; ++j) {
      float want = 0;
      for (int64_t p = 0; p < 50; ++p) want = std::fma(pa[i * 50 + p], pb[p * 37 + j], want);
      EXPECT_EQ(got[static_cast<size_t>(i * 37 + j)], want);
    }
  }
  EXPECT_EQ(mm(clone(t(clone(t(a)))), t(contiguous(t(b)))).to_vector<float>(), got);
}

TEST_F(Order, a_matrix_by_a_vector_adds_along_k_with_one_rounding_each) {
  for (const int64_t m : {1, 7, 16, 33, 100, 500}) {
    for (const int64_t k : {1, 15, 16, 50, 500}) {
      const Tensor a = noise({m, k}, 5), b = noise({k, 1}, 6);
      const auto got = mm(a, b).to_vector<float>();
      const auto *pa = a.const_data<float>(), *pb = b.const_data<float>();
      for (int64_t i = 0; i < m; ++i) {
        float want = 0;
        for (int64_t p = 0; p < k; ++p) want = std::fma(pa[i * k + p], pb[p], want);
        ASSERT_EQ(got[static_cast<size_t>(i)], want) << m << " " << k;
      }
      EXPECT_EQ(mm(t(contiguous(t(a))), b).to_vector<float>(), got);
      const Tensor far_apart = zeros({m, 1024});  // a row stride of 4 KiB
      copy_(slice(far_apart, 1, 0, k), a);
      EXPECT_EQ(mm(slice(far_apart, 1, 0, k), b).to_vector<float>(), got);
      EXPECT_EQ(mm(a, slice(expand(b, {k, 3}), 1, 0, 1)).to_vector<float>(), got);
      const Tensor wide = to(a, DType::f64), column = to(b, DType::f64);
      EXPECT_EQ(mm(wide, column).to_vector<double>(),
                contiguous(slice(mm(wide, cat({column, column}, 1)), 1, 0, 1)).to_vector<double>());
    }
  }
}

TEST_F(Order, the_largest_of_a_row_is_found_wherever_it_stands) {
  for (const int64_t n : {1, 16, 63, 64, 65, 130, 1024, 1100, 2300}) {
    const Tensor x = noise({n}, 7) - 1000.0, rows = contiguous(expand(x, {n, n}));
    auto* p = rows.data<float>();
    for (int64_t i = 0; i < n; ++i) p[i * n + i] = static_cast<float>(i + 1);
    const auto most = amax(rows, {1}).to_vector<float>();
    const auto least = amin(to(-rows, DType::f64), {1}).to_vector<double>();
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(most[static_cast<size_t>(i)], static_cast<float>(i + 1)) << n;
      ASSERT_EQ(least[static_cast<size_t>(i)], -static_cast<double>(i + 1)) << n;
      p[i * n + i] = std::nanf("");
    }
    for (const float one : amax(rows, {1}).to_vector<float>()) ASSERT_TRUE(std::isnan(one)) << n;
  }
}

TEST_F(Order, the_first_of_equals_is_chosen_and_nan_before_all) {
  const float nan = std::nanf("");
  const Tensor x = Tensor::from({1.0F, 7.0F, 7.0F, 2.0F, nan, 9.0F, nan, 0.0F}, {2, 4});
  EXPECT_EQ(argmax(x, 1).to_vector<int64_t>(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(argmin(x, 1).to_vector<int64_t>(), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(argmax(x).item<int64_t>(), 4);
  const Tensor many = zeros({40, 50});
  EXPECT_EQ(argmax(many).item<int64_t>(), 0);
  EXPECT_EQ(argmax(full({20}, -INFINITY), 0).item<int64_t>(), 0);
}

}  // namespace
}  // namespace vitro
