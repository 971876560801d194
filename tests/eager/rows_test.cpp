// Fast paths of softmax, log_softmax and layer norm give the bits of the composite definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "eager/eager.h"
#include "vitro/ops/all.h"

namespace vitro {
namespace {

Tensor noise(int64_t rows, int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(1.0F, 5.0F);
  Tensor x = Tensor::empty({rows, n});
  auto* p = x.data<float>();
  for (int64_t i = 0; i < rows * n; ++i) p[i] = normal(random);
  return x;
}

void expect_same_bits(const Tensor& got, const Tensor& want, int64_t n) {
  const auto a = got.to_vector<float>(), b = want.to_vector<float>();
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << "rows of " << n;
}

class Rows : public testing::TestWithParam<int64_t> {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

TEST_P(Rows, softmax_gives_the_bits_of_its_program) {
  const Tensor x = noise(5, GetParam(), 1);
  const ops::SoftmaxAttrs attrs{-1};
  const Operand operands[] = {x};
  Tensor want;
  ops::Softmax::expand(operands, ops::attrs_view<ops::Softmax>(attrs), {&want, 1});
  expect_same_bits(softmax(x, -1), want, GetParam());
  expect_same_bits(softmax(t(contiguous(t(x))), -1), want, GetParam());
}

TEST_P(Rows, log_softmax_gives_the_bits_of_its_program) {
  const Tensor x = noise(5, GetParam(), 1);
  const ops::SoftmaxAttrs attrs{-1};
  const Operand operands[] = {x};
  Tensor want;
  ops::LogSoftmax::expand(operands, ops::attrs_view<ops::LogSoftmax>(attrs), {&want, 1});
  expect_same_bits(log_softmax(x, -1), want, GetParam());
}

TEST_P(Rows, layer_norm_gives_the_bits_of_its_program) {
  const int64_t n = GetParam();
  const Tensor x = noise(5, n, 2), weight = select(noise(1, n, 3), 0, 0),
               bias = select(noise(1, n, 4), 0, 0);
  const ops::LayerNormAttrs attrs{{n}, 1e-12};
  for (const int given : {0, 1, 2, 3}) {
    const Tensor w = given & 1 ? weight : Tensor(), b = given & 2 ? bias : Tensor();
    const Operand operands[] = {x, w, b};
    Tensor want[3];
    ops::NativeLayerNorm::expand(operands, ops::attrs_view<ops::NativeLayerNorm>(attrs), want);
    const auto [y, mean, scale] = native_layer_norm(x, {n}, w, b, 1e-12);
    expect_same_bits(y, want[0], n);
    expect_same_bits(mean, want[1], n);
    expect_same_bits(scale, want[2], n);
  }
}

TEST_P(Rows, that_lie_across_memory_give_the_bits_of_their_programs) {
  for (const auto& [sizes, dim] : std::vector<std::pair<Dims, int64_t>>{
           {{GetParam(), 3}, 0}, {{2, GetParam(), 17}, 1}, {{3, GetParam(), 2}, -2}}) {
    Sizes shape;
    int64_t count = 1;
    for (const int64_t size : sizes) shape.push_back(size), count *= size;
    const Tensor x = view(noise(1, count, 6), shape);
    const Operand operands[] = {x};
    const ops::SoftmaxAttrs attrs{dim};
    Tensor want;
    ops::Softmax::expand(operands, ops::attrs_view<ops::Softmax>(attrs), {&want, 1});
    expect_same_bits(softmax(x, dim), want, GetParam());
    const Tensor turned = transpose(contiguous(transpose(x, 0, -1)), 0, -1);
    EXPECT_FALSE(turned.is_contiguous() && GetParam() > 1 && sizes.size() == 2);
    expect_same_bits(softmax(turned, dim), want, GetParam());
    ops::LogSoftmax::expand(operands, ops::attrs_view<ops::LogSoftmax>(attrs), {&want, 1});
    expect_same_bits(log_softmax(x, dim), want, GetParam());
  }
}

TEST(SpecialRows, softmax_of_infinities_and_nan_is_that_of_its_program) {
  eager::init();
  const float inf = INFINITY, nan = std::nanf("");
  const Tensor x =
      Tensor::from({1.0F, -inf, 2.0F, inf, 0.0F, 1.0F, -inf, -inf, -inf, 1.0F, nan, 2.0F}, {4, 3});
  const auto y = softmax(x, -1).to_vector<float>();
  EXPECT_EQ(y[1], 0.0F);
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(std::isnan(y[i]), i >= 3) << i;
}

INSTANTIATE_TEST_SUITE_P(widths, Rows, testing::Values(1, 5, 16, 17, 128, 1000, 4096, 4097, 9000));

}  // namespace
}  // namespace vitro
