// The order of sums is a function of the shape alone: checked bit by bit against the rule at the
// head of vitro/ops/reduce.h written out in plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "eager/eager.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

class Order : public testing::Test {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

Tensor noise(std::initializer_list<int64_t> sizes, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, 100.0F);
  Tensor x = Tensor::empty(sizes);
  auto* p = x.data<float>();
  for (int64_t i = 0; i < x.numel().value(); ++i) p[i] = normal(random);
  return x;
}

// One set of lanes over rows of n elements.
template <class At>
float lanes_of(int64_t rows, int64_t begin, int64_t end, At at) {
  float lane[16] = {};
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = begin; i < end; ++i) lane[(i - begin) % 16] += at(r, i);
  }
  for (int half = 8; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
}

// The last dimension (of n) and `rows` outer ones are reduced.
template <class At>
float expected_row(int64_t rows, int64_t n, At at) {
  if (n <= ops::reduction_chunk) return lanes_of(rows, 0, n, at);
  float sum = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t begin = 0; begin < n; begin += ops::reduction_chunk) {
      const int64_t end = std::min(n, begin + ops::reduction_chunk);
      const float part = lanes_of(1, begin, end, [&](int64_t, int64_t i) { return at(r, i); });
      sum = r == 0 && begin == 0 ? part : sum + part;
    }
  }
  return sum;
}

TEST_F(Order, the_last_dimension_goes_to_sixteen_lanes) {
  for (const int64_t n : {1, 5, 16, 17, 100, 1000, 4096}) {
    const Tensor x = noise({3, n}, static_cast<unsigned>(n));
    const auto got = sum(x, {1}).to_vector<float>();
    const auto* p = x.const_data<float>();
    for (int64_t r = 0; r < 3; ++r) {
      const float want = expected_row(1, n, [&](int64_t, int64_t i) { return p[r * n + i]; });
      EXPECT_EQ(got[static_cast<size_t>(r)], want) << n;
    }
  }
}

TEST_F(Order, long_rows_are_cut_into_chunks) {
  for (const int64_t n : {4097, 8192, 100000}) {
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
    const Tensor x = noise({4, 3, n}, static_cast<unsigned>(n));  // 0 and 2 are reduced
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
  for (const int64_t n : {3, 100, 4096, 9000}) {
    const int64_t columns = 70;
    const Tensor x = noise({n, columns}, static_cast<unsigned>(n));
    const auto got = sum(x, {0}).to_vector<float>();
    const auto* p = x.const_data<float>();
    for (int64_t c = 0; c < columns; ++c) {
      float want = 0;
      for (int64_t begin = 0; begin < n; begin += ops::reduction_chunk) {
        float part = 0;
        for (int64_t i = begin; i < std::min(n, begin + ops::reduction_chunk); ++i)
          part += p[i * columns + c];
        want = begin == 0 ? part : want + part;
      }
      EXPECT_EQ(got[static_cast<size_t>(c)], want) << n;
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
