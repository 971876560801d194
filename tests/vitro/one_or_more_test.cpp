// Parameters that take a list of dimensions or sizes also take a single one, as in PyTorch.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "vitro/vitro.h"

using namespace vitro;

namespace {

static_assert(!std::is_convertible_v<bool, DimsArg> && !std::is_convertible_v<bool, SizesArg>,
              "sum(x, true) is an error: keepdim comes after dim");
static_assert(!std::is_convertible_v<double, DimsArg> && !std::is_convertible_v<Sizes, DimsArg>);

bool same(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.to_vector<float>() == b.to_vector<float>();
}

TEST(OneOrMore, a_number_is_a_list_of_one) {
  const Tensor x = reshape(to(arange(24), DType::f32), {4, 6});
  EXPECT_TRUE(same(sum(x, 0), sum(x, {0})));
  EXPECT_TRUE(same(sum(x, -1, true), sum(x, {-1}, true)));
  EXPECT_TRUE(same(mean(x, 1), mean(x, {1})));
  EXPECT_TRUE(same(amax(x, 1, true), amax(x, {1}, true)));
  EXPECT_TRUE(same(var(x, 1), var(x, {1})));
  EXPECT_TRUE(same(squeeze(unsqueeze(x, 0), 0), x));
  EXPECT_TRUE(same(view(x, -1), view(x, {-1})));
  EXPECT_TRUE(same(reshape(x, x.numel()), view(x, {24})));
  EXPECT_TRUE(same(layer_norm(x, 6), layer_norm(x, {6})));
  EXPECT_TRUE(same(zeros(3), zeros({3})));
}

TEST(OneOrMore, so_are_vectors_and_the_sizes_of_tensors) {
  const Tensor x = reshape(to(arange(24), DType::f32), {4, 6});
  const std::vector<int64_t> dims{0, 1};
  const std::vector<int> wanted{6, 4};
  EXPECT_TRUE(same(sum(x, dims), sum(x)));
  EXPECT_TRUE(same(view(x, wanted), view(x, {6, 4})));
  EXPECT_TRUE(same(full(x.sizes(), 2.0), full({4, 6}, 2.0)));
}

TEST(OneOrMore, one_number_of_a_convolution_stands_for_height_and_width) {
  const Tensor x = reshape(to(arange(2 * 3 * 7 * 8), DType::f32), {2, 3, 7, 8});
  const Tensor w = reshape(to(arange(4 * 3 * 3 * 3), DType::f32), {4, 3, 3, 3});
  EXPECT_TRUE(same(conv2d(x, w, {}, {.stride = 2, .padding = 1}),
                   conv2d(x, w, {}, {.stride = {2, 2}, .padding = {1, 1}})));
  nn::Module root;
  const nn::Conv2d layer(root, "conv", 3, 4, 3, {.padding = 1});
  EXPECT_EQ(layer(x).sizes(), Sizes({2, 4, 7, 8}));
}

}  // namespace
