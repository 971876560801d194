// In-place ops: which operands fit, which may overlap, and which are refused.
#include <gtest/gtest.h>

#include <functional>

#include "eager/eager.h"
#include "vitro/base/error.h"
#include "vitro/ops/all.h"
#include "vitro/ops/overload.h"

namespace vitro {
namespace {

class InPlace : public testing::Test {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

using Floats = std::vector<float>;

Tensor counted(int64_t n) {
  return arange(n, DType::f32);
}

TEST_F(InPlace, the_operand_itself_is_returned_and_its_version_grows) {
  const Tensor x = counted(3);
  const uint64_t before = x.storage().version();
  EXPECT_TRUE(add_(x, 1).same_as(x));
  EXPECT_EQ(x.to_vector<float>(), (Floats{1, 2, 3}));
  EXPECT_GT(x.storage().version(), before);
}

// Calls by name: one in-place op if the op takes all arguments, else the result of the function is
// copied into the operand.
TEST_F(InPlace, calls_by_name_write_and_return_the_operand) {
  const auto written = [](std::string_view name, std::vector<ArgValue> more,
                          std::vector<NamedArg> named = {}) {
    const Tensor x = counted(4);
    more.insert(more.begin(), x);
    const std::vector<Tensor> results = ops::call(name, more, named);
    EXPECT_TRUE(results.size() == 1 && results[0].same_as(x)) << name;
    return x.to_vector<float>();
  };
  EXPECT_EQ(written("add_", {counted(4)}), (Floats{0, 2, 4, 6}));
  EXPECT_EQ(written("add_.Scalar", {Scalar(1)}), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(written("add_", {counted(4)}, {{"alpha", Scalar(10)}}), (Floats{0, 11, 22, 33}));
  EXPECT_EQ(written("div_", {Scalar(2)}, {{"rounding_mode", std::string("floor")}}),
            (Floats{0, 0, 1, 1}));
  EXPECT_EQ(written("clamp_", {}, {{"max", Scalar(1)}}), (Floats{0, 1, 1, 1}));
  EXPECT_EQ(written("leaky_relu_", {Scalar(0.5)}), (Floats{0, 1, 2, 3}));
  EXPECT_EQ(written("fill_", {Scalar(7)}), (Floats{7, 7, 7, 7}));
  EXPECT_EQ(written("copy_", {scalar_tensor(3)}), (Floats{3, 3, 3, 3}));
  EXPECT_EQ(written("zero_", {}), (Floats{0, 0, 0, 0}));
  EXPECT_EQ(written("masked_fill_", {gt(counted(4), 1), Scalar(9)}), (Floats{0, 1, 9, 9}));
  const Tensor whole = arange(4);
  EXPECT_THROW(ops::call("add_", {whole, Scalar(1)}, {{"alpha", Scalar(0.5)}}), Error);
  EXPECT_THROW(ops::call("add_", {counted(4), zeros({2, 4})}, {{"alpha", Scalar(2)}}), Error);
  EXPECT_EQ(whole.to_vector<int64_t>(), (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST_F(InPlace, a_view_writes_into_its_base) {
  const Tensor x = zeros({2, 3});
  fill_(select(x, 1, 1), 5);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 5, 0, 0, 5, 0}));
  x *= 2;
  slice(x, 1, 0, 2) += counted(2);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 11, 0, 0, 11, 0}));
}

TEST_F(InPlace, the_result_is_cast_to_the_operands_dtype) {
  const Tensor half = to(counted(3), DType::f16);
  add_(half, counted(3));
  EXPECT_EQ(half.dtype(), DType::f16);
  EXPECT_EQ(to(half, DType::f32).to_vector<float>(), (Floats{0, 2, 4}));
  const Tensor small = to(counted(3), DType::i8);
  mul_(small, arange(3));
  EXPECT_EQ(small.to_vector<int8_t>(), (std::vector<int8_t>{0, 1, 4}));
}

TEST_F(InPlace, operands_that_lie_elsewhere_in_the_same_memory_are_read_before_the_write) {
  const Tensor x = counted(6);
  add_(slice(x, 0, 1), slice(x, 0, 0, 5));
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 1, 3, 5, 7, 9}));
  const Tensor square = view(counted(4), {2, 2});
  add_(square, t(square));
  EXPECT_EQ(square.to_vector<float>(), (Floats{0, 3, 3, 6}));
  const Tensor row = view(counted(4), {2, 2});
  add_(row, select(row, 0, 1));
  EXPECT_EQ(row.to_vector<float>(), (Floats{2, 4, 4, 6}));
  const Tensor turned = view(counted(4), {2, 2});
  copy_(turned, t(turned));
  EXPECT_EQ(turned.to_vector<float>(), (Floats{0, 2, 1, 3}));
}

TEST_F(InPlace, operands_may_broadcast_to_the_written_one) {
  const Tensor x = ones({2, 3});
  mul_(x, counted(3));
  sub_(x, view(counted(2), {2, 1}));
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 1, 2, -1, 0, 1}));
  masked_fill_(x, x < 0.0, 9);
  EXPECT_EQ(x.to_vector<float>(), (Floats{0, 1, 2, 9, 0, 1}));
}

TEST_F(InPlace, strided_results_are_written_where_they_belong) {
  const Tensor x = zeros({4, 40});
  const Tensor part = slice(t(x), 0, 1, 40, 3);
  copy_(part, expand(view(counted(4), {1, 4}), {13, 4}));
  exp_(part);
  EXPECT_EQ(sum(x, {1}).to_vector<float>(),
            sum(exp(expand(view(counted(4), {4, 1}), {4, 13})), {1}).to_vector<float>());
  EXPECT_EQ(slice(x, 1, 0, 40, 3).to_vector<float>(), zeros({4, 14}).to_vector<float>());
}

void expect_error(const std::function<void()>& f, std::string_view text) {
  try {
    f();
    ADD_FAILURE() << "no error: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), text);
  }
}

TEST_F(InPlace, nothing_may_be_written_anywhere) {
  const Tensor none = expand(ones({0, 1}), {0, 4});
  EXPECT_EQ(add_(none, 1.0).numel().value(), 0);
}

TEST_F(InPlace, what_cannot_be_written_says_why) {
  const Tensor x = counted(3), whole = arange(3), truth = x > 1;
  expect_error(
      [&] { add_(x, ones({2, 3})); },
      "add_: the result has sizes [2, 3], which differ from the first operand's sizes [3]");
  expect_error([&] { add_(whole, 0.5); },
               "add_: a result of f32 cannot be stored in a tensor of i64; call add instead, or "
               "cast the operand");
  expect_error([&] { add_(truth, whole); },
               "add_: a result of i64 cannot be stored in a tensor of bool; call add instead, or "
               "cast the operand");
  expect_error([&] { add_(expand(ones({1}), {3}), x); },
               "add_: several elements of the tensor share memory (sizes [3], strides [0]); clone "
               "it before writing");
  expect_error(
      [&] { fill_(x, ones({3})); },
      "fill_: takes a number or a tensor without dimensions, got sizes [3]; copy takes tensors");
}

}  // namespace
}  // namespace vitro
