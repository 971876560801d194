// Functions that read elements to find the sizes of their results.
#include <gtest/gtest.h>

#include "vitro/init.h"
#include "vitro/ops/rearrange.h"
#include "vitro/vitro.h"

namespace vitro {
namespace {

TEST(SizesFromElements, of_one_hot_are_the_largest_index) {
  const Tensor y = one_hot(Tensor::from({int64_t{1}, int64_t{0}}, {2}));
  EXPECT_EQ(cat(y.sizes()), "[2, 2]");
  EXPECT_EQ(y.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 1, 0}));
}

TEST(SizesFromElements, of_repeat_interleave_are_the_sum_of_repeats) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F}, {3});
  const Tensor repeats = Tensor::from({int64_t{2}, int64_t{0}, int64_t{3}}, {3});
  const std::vector<float> want{1, 1, 3, 3, 3};
  EXPECT_EQ(repeat_interleave(x, repeats).to_vector<float>(), want);
  auto fast = compile([](const Tensor& t, const Tensor& n) { return repeat_interleave(t, n) + 1; });
  EXPECT_EQ(fast(x, repeats).to_vector<float>(),
            (repeat_interleave(x, repeats) + 1).to_vector<float>());
  EXPECT_EQ(repeat_interleave(x, zeros({3}, DType::i64)).numel().value(), 0);
}

}  // namespace
}  // namespace vitro
