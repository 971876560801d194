// Arguments whose meaning is easily lost: the order of dimensions, the dtype of a sum, layouts of
// operands that do not reach the result. The values are those of PyTorch.
#include <gtest/gtest.h>

#include <complex>

#include "eager/eager.h"
#include "error_of.h"
#include "vitro/ops/all.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/statistics.h"

namespace vitro {
namespace {

class Arguments : public testing::Test {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

using Numbers = std::vector<float>;
using Whole = std::vector<int64_t>;

TEST_F(Arguments, gradient_returns_the_dimensions_in_the_order_of_the_call) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 5.0F, 9.0F}, {2, 2});
  const Numbers down = {4, 7, 4, 7}, across = {1, 1, 4, 4};
  const std::vector<Tensor> both = gradient(x, std::vector<Scalar>(), {1, 0});
  EXPECT_EQ(both[0].to_vector<float>(), across);
  EXPECT_EQ(both[1].to_vector<float>(), down);
  const std::vector<Tensor> spaced = gradient(x, std::vector<Scalar>{2, 1}, {-1, 0});
  EXPECT_EQ(spaced[0].to_vector<float>(), (Numbers{0.5F, 0.5F, 2, 2}));
  EXPECT_EQ(spaced[1].to_vector<float>(), down);
  EXPECT_EQ(gradient(x)[1].to_vector<float>(), across);
}

TEST_F(Arguments, sums_and_products_convert_elements_to_the_dtype_first) {
  const Tensor x = Tensor::from({1.75F, 2.75F, -1.5F, 0.5F}, {2, 2});
  EXPECT_EQ(sum(x, {}, false, DType::i64).item<int64_t>(), 2);
  EXPECT_EQ(to(sum(x, {1}, false, DType::i16), DType::i64).to_vector<int64_t>(), (Whole{3, -1}));
  EXPECT_EQ(prod(x, {1}, false, DType::i64).to_vector<int64_t>(), (Whole{2, 0}));
  const Tensor z = complex(x, x);
  EXPECT_EQ(error_of([&] { (void)prod(z, {}, false, DType::f32); }),
            "prod: a result of complex numbers cannot have dtype f32");
}

TEST_F(Arguments, trapezoid_counts_dimensions_of_the_heights) {
  const Tensor y = Tensor::from({1.0F, 3.0F}, {2});
  const Tensor x = Tensor::from({0.0F, 1.0F, 2.0F, 5.0F}, {2, 2});
  // Dimension 0 of x: places 2 and 4 apart, a mean height of 2.
  EXPECT_EQ(trapezoid(y, x).to_vector<float>(), (Numbers{4, 8}));
  EXPECT_EQ(cumulative_trapezoid(y, x).to_vector<float>(), (Numbers{4, 8}));
}

TEST_F(Arguments, results_of_searches_and_samples_are_contiguous) {
  const Tensor row = Tensor::from({1.0F, 2.0F, 3.0F}, {3});
  const Tensor found = searchsorted(row, t(Tensor::from({0.0F, 1.5F, 2.5F, 4.0F}, {2, 2})));
  EXPECT_TRUE(found.is_contiguous());
  EXPECT_EQ(found.to_vector<int64_t>(), (Whole{0, 2, 1, 3}));
  const Tensor grid = permute(zeros({2, 3, 4, 1}), {3, 2, 1, 0});
  EXPECT_TRUE(grid_sampler_2d(ones({1, 2, 3, 3}), grid, 0, 0, true).is_contiguous());
}

}  // namespace
}  // namespace vitro
