// Arguments whose meaning is easily lost: the order of dimensions, the dtype of a sum, layouts of
// operands that do not reach the result. The values are those of PyTorch.
#include <gtest/gtest.h>

#include <complex>

#include "eager/eager.h"
#include "error_of.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/decomposition.h"
#include "vitro/ops/distance.h"
#include "vitro/ops/overload.h"
#include "vitro/ops/rearrange.h"
#include "vitro/ops/resample.h"
#include "vitro/ops/special.h"
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

TEST_F(Arguments, sums_by_name_convert_elements_to_the_dtype_first) {
  const Tensor x = Tensor::from({1.75F, 2.75F, -1.5F, 0.5F}, {2, 2});
  const NamedArg whole{"dtype", DType::i64}, bytes{"dtype", DType::i8};
  const auto total = [&](std::string_view name, std::vector<ArgValue> given,
                         const NamedArg& dtype) {
    return to(ops::call(name, given, {&dtype, 1})[0], DType::i64).to_vector<int64_t>();
  };
  EXPECT_EQ(total("sum", {x}, whole), (Whole{2}));
  EXPECT_EQ(total("sum.dim_IntList", {x, Scalar(1)}, bytes), (Whole{3, -1}));
  EXPECT_EQ(total("prod", {x}, bytes), (Whole{0}));
  EXPECT_EQ(total("prod.dim_int", {x, Scalar(0)}, whole), (Whole{-1, 0}));
  const NamedArg truth{"dtype", DType::boolean};
  EXPECT_EQ(ops::call("sum", {x}, {truth})[0].dtype(), DType::boolean);
  EXPECT_EQ(total("prod.dim_int", {to(x, DType::i64), Scalar(0)}, truth), (Whole{1, 0}));
}

TEST_F(Arguments, any_and_all_of_no_dimensions_by_name_keep_every_element) {
  const Tensor x = Tensor::from({2.0F, 0.0F, NAN, -0.0F}, {2, 2});
  const ArgValue no_dims = std::vector<Scalar>();
  for (const std::string_view name : {"any.dims", "all.dims"}) {
    const Tensor each = ops::call(name, {x, no_dims})[0];
    EXPECT_EQ(each.dtype(), DType::boolean);
    EXPECT_EQ(to(each, DType::i64).to_vector<int64_t>(), (Whole{1, 0, 1, 0}));
    EXPECT_EQ(ops::call(name, {to(x, DType::u8), no_dims})[0].dtype(), DType::u8);
    EXPECT_EQ(ops::call(name, {complex(x, x), no_dims})[0].sizes(), x.sizes());
    EXPECT_EQ(ops::call(name, {x})[0].rank(), 0);
  }
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

TEST_F(Arguments, layouts_of_results_follow_from_the_first_operand) {
  const Tensor row = arange(12, DType::f32), x = reshape(row, {4, 3}),
               turned = t(reshape(row, {3, 4}));
  const Sizes by_rows{3, 1}, by_columns{1, 4};
  EXPECT_EQ(pow(2, turned).strides(), by_rows) << "of a plain number";
  EXPECT_EQ(pow(scalar_tensor(2, DType::f32), turned).strides(), by_columns);
  EXPECT_EQ(pow(turned, 1.5).strides(), by_columns);
  EXPECT_EQ(lerp(x, x, turned).strides(), by_rows);
  EXPECT_EQ(lerp(turned, x, turned).strides(), by_columns);
  EXPECT_EQ(lerp(x, turned, 0.5).strides(), by_rows);
  EXPECT_EQ(lerp(turned, x, 0.75).strides(), by_columns);
  EXPECT_EQ(lerp(narrow(x, 0, 0, 1), narrow(x, 0, 0, 1), turned).strides(), by_columns);
  const Tensor at = Tensor::from<int64_t>({0, 5}, {2}), two = ones({2});
  const Tensor more = put(turned, at, two, true), other = put(turned, at, two);
  EXPECT_EQ(more.strides(), by_columns);
  EXPECT_EQ(other.strides(), by_columns);
  EXPECT_EQ(contiguous(more).to_vector<float>(), (Numbers{1, 4, 8, 1, 5, 10, 2, 6, 10, 3, 7, 11}));
  const Tensor rows = full({2, 3, 3}, 1.0) + eye(3);
  EXPECT_EQ(linalg_solve(rows, ones({2, 3})).strides(), (Sizes{1, 2}));
  EXPECT_EQ(linalg_solve(rows, ones({3})).strides(), (Sizes{1, 2}));
  for (const float quarter : contiguous(linalg_solve(rows, ones({2, 3}))).to_vector<float>())
    EXPECT_NEAR(quarter, 0.25F, 1e-6F);
}

TEST_F(Arguments, contiguous_takes_the_format_that_a_program_names) {
  const auto in = [](std::string_view format, const Tensor& x) {
    return ops::call("contiguous", {x}, {{"memory_format", std::string(format)}})[0];
  };
  const Tensor x = reshape(arange(120, DType::f32), {2, 3, 4, 5});
  const Tensor y = in("channels_last", x);
  EXPECT_EQ(y.strides(), (Sizes{60, 1, 15, 3}));
  EXPECT_EQ(y.to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(in("channels_last", y).const_data(), y.const_data());
  EXPECT_EQ(in("contiguous_format", y).strides(), x.strides());
  EXPECT_EQ(in("channels_last_3d", unsqueeze(x, 0)).strides(), (Sizes{120, 1, 40, 10, 2}));
}

TEST_F(Arguments, clones_have_the_format_that_a_program_names) {
  const Tensor x = reshape(arange(120, DType::f32), {2, 3, 4, 5}),
               y = clone(x, ops::MemoryFormat::channels_last);
  EXPECT_EQ(y.strides(), (Sizes{60, 1, 15, 3}));
  EXPECT_EQ(y.to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(clone(y).strides(), y.strides());
  EXPECT_EQ(clone(y, ops::MemoryFormat::contiguous).strides(), x.strides());
  const Tensor volume = unsqueeze(x, 0);
  EXPECT_EQ(clone(volume, ops::MemoryFormat::channels_last_3d).strides(),
            (Sizes{120, 1, 40, 10, 2}));
}

TEST_F(Arguments, a_stride_longer_than_the_image_leaves_one_window) {
  const Tensor x = ones({1, 1, 4, 4}), weight = ones({1, 1, 2, 2});
  for (const int64_t stride : {int64_t{4}, int64_t{1} << 40, INT64_MAX}) {
    const Tensor y = conv2d(x, weight, {}, {.stride = stride});
    EXPECT_EQ(y.sizes(), (Sizes{1, 1, 1, 1})) << stride;
    EXPECT_EQ(y.item<float>(), 4) << stride;
  }
}

TEST_F(Arguments, of_lerp_reach_both_ends) {
  const Tensor x = Tensor::from({0.1F, 1e20F, -3.0F}, {3}),
               end = Tensor::from({0.3F, 1.0F, 7.0F}, {3});
  EXPECT_EQ(lerp(x, end, 0).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(lerp(x, end, 1).to_vector<float>(), end.to_vector<float>());
  EXPECT_EQ(lerp(x, end, zeros({3})).to_vector<float>(), x.to_vector<float>());
  EXPECT_EQ(lerp(x, end, ones({3})).to_vector<float>(), end.to_vector<float>());
  EXPECT_EQ(lerp(x, end, 0.25).to_vector<float>()[2], -0.5F);
  EXPECT_EQ(lerp(x, end, full({3}, 0.75)).to_vector<float>()[2], 4.5F);
}

TEST_F(Arguments, complex_numbers_give_real_tensors_their_real_part_or_the_dtype) {
  const std::complex<double> two(2.0, 0.0);
  EXPECT_EQ(fill(zeros({2}), complex(scalar_tensor(1.5, DType::f32), ones({}))).to_vector<float>(),
            (Numbers{1.5F, 1.5F}));
  EXPECT_EQ(full({1}, Scalar(two), DType::f32).to_vector<float>(), Numbers{2});
  EXPECT_EQ(fill(zeros({1}), Scalar(two)).to_vector<float>(), Numbers{2});
  for (const double exponent : {0.5, 1.0, 2.0, 3.0})
    EXPECT_EQ(pow(ones({1}), std::complex(exponent, 0.0)).dtype(), DType::c64) << exponent;
  const auto [made, kept] = native_dropout(complex(ones({3}), ones({3})), 1.0, true);
  EXPECT_EQ(made.dtype(), DType::c64);
  EXPECT_EQ(real(made).to_vector<float>(), Numbers(3, 0));
  EXPECT_FALSE(any(kept).item<bool>());
}

TEST_F(Arguments, norms_of_empty_matrices_are_zero_where_they_are_defined) {
  const Tensor none = zeros({2, 0, 3});
  EXPECT_EQ(linalg_matrix_norm(none, 2).to_vector<float>(), (Numbers{0, 0}));
  EXPECT_EQ(linalg_matrix_norm(none, 2, {-2, -1}, true).sizes(), (Sizes{2, 1, 1}));
  EXPECT_NE(error_of([&] { (void)linalg_matrix_norm(none, -2); }), "");
  EXPECT_EQ(linalg_vector_norm(none, -1, 2).numel(), 0);
}

TEST_F(Arguments, by_which_nothing_changes_give_a_copy) {
  const Tensor x = reshape(arange(32, DType::f32), {1, 2, 4, 4}), m = select(select(x, 0, 0), 0, 0);
  const Tensor same[] = {repeat_interleave(x, 1),
                         repeat_interleave(x, 1, 2),
                         repeat_interleave(slice(x, 1, 0, 1), 1, 1),
                         interpolate(x, {.size = {4, 4}, .mode = "bilinear", .antialias = true}),
                         interpolate(x, {.size = {4, 4}, .mode = "bicubic", .antialias = true}),
                         linalg_matrix_power(m, 1)};
  for (const Tensor& y : same) {
    EXPECT_FALSE(y.storage() == x.storage()) << &y - same;
    const auto numbers = y.to_vector<float>(), given = x.to_vector<float>();
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), given.begin())) << &y - same;
  }
}

TEST_F(Arguments, repeat_interleave_gives_the_output_size_or_refuses_it) {
  const Tensor x = arange(3), repeats = Tensor::from<int64_t>({1, 2, 0}, {3});
  EXPECT_EQ(repeat_interleave(x, repeats, {}, 3).to_vector<int64_t>(), (Whole{0, 1, 1}));
  for (const int64_t size : {1, 2, 4, 7})
    EXPECT_NE(error_of([&] { (void)repeat_interleave(x, repeats, {}, size); }), "") << size;
  const NamedArg six{"output_size", Scalar(6)}, five{"output_size", Scalar(5)};
  EXPECT_EQ(ops::call("repeat_interleave", {x, Scalar(2)}, {six})[0].numel(), 6);
  EXPECT_EQ(error_of([&] { (void)ops::call("repeat_interleave", {x, Scalar(2)}, {five}); }),
            "repeat_interleave: output_size is 5, but there are 6 elements");
}

}  // namespace
}  // namespace vitro
