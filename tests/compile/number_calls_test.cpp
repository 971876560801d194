// Calls by name whose results are numbers: sizes, strides, offsets and elements, eagerly and as
// symbols of compiled functions.
#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/overload.h"

namespace vitro {
namespace {

Scalar number(std::string_view name, std::initializer_list<ArgValue> arguments) {
  init();
  return std::get<Scalar>(ops::evaluate(name, arguments).at(0));
}

TEST(NumberCalls, describe_the_layout_of_a_tensor) {
  init();
  const Tensor x = slice(transpose(arange(24, DType::f32), 0, 0), 0, 4);
  const Tensor y = transpose(view(x, {4, 5}), 0, 1);  // [5, 4], strides 1 and 5, from element 4
  EXPECT_EQ(number("sym_size.int", {y, Scalar(0)}), Scalar(5));
  EXPECT_EQ(number("sym_size", {y, Scalar(-1)}), Scalar(4));
  EXPECT_EQ(number("sym_stride.int", {y, Scalar(0)}), Scalar(1));
  EXPECT_EQ(number("sym_stride.int", {y, Scalar(-1)}), Scalar(5));
  EXPECT_EQ(number("sym_numel", {y}), Scalar(20));
  EXPECT_EQ(number("sym_storage_offset", {y}), Scalar(4));
}

// In numbers, not in the real ones that they consist of.
TEST(NumberCalls, count_complex_numbers) {
  init();
  const Tensor z = slice(view(full({12}, std::complex(1.0, 2.0)), {3, 4}), 0, 1);
  EXPECT_EQ(number("sym_size.int", {z, Scalar(-1)}), Scalar(4));
  EXPECT_EQ(number("sym_stride.int", {z, Scalar(0)}), Scalar(4));
  EXPECT_EQ(number("sym_numel", {z}), Scalar(8));
  EXPECT_EQ(number("sym_storage_offset", {z}), Scalar(4));
  EXPECT_EQ(number("item", {slice(select(z, 0, 0), 0, 0, 1)}), Scalar(std::complex(1.0, 2.0)));
}

TEST(NumberCalls, read_the_only_element_with_its_kind) {
  init();
  EXPECT_EQ(number("_local_scalar_dense", {scalar_tensor(2.5)}), Scalar(2.5));
  EXPECT_EQ(number("item", {full({1, 1}, 7)}), Scalar(7));
  EXPECT_EQ(number("item", {scalar_tensor(1, DType::boolean)}), Scalar(true));
}

TEST(NumberCalls, compare_tensors) {
  init();
  const Tensor x = arange(6, DType::f32), nan = full({1}, std::nan(""));
  EXPECT_EQ(number("equal", {x, arange(6)}), Scalar(true));  // whatever the dtypes
  EXPECT_EQ(number("equal", {x, view(x, {2, 3})}), Scalar(false));
  EXPECT_EQ(number("equal", {x, x + 1}), Scalar(false));
  EXPECT_EQ(number("equal", {nan, nan}), Scalar(false));
  EXPECT_EQ(number("allclose", {x + 1, x + (1 + 1e-6)}), Scalar(true));
  EXPECT_EQ(number("allclose", {x, x + 1}), Scalar(false));
  EXPECT_EQ(number("allclose", {x, x + 1, Scalar(0), Scalar(1)}), Scalar(true));
  EXPECT_EQ(number("allclose", {nan, nan}), Scalar(false));
  EXPECT_EQ(number("allclose", {nan, nan, Scalar(0), Scalar(0), Scalar(true)}), Scalar(true));
  EXPECT_EQ(number("allclose", {full({2}, 1), scalar_tensor(1, DType::i64)}), Scalar(true));
  EXPECT_EQ(number("is_same_size", {x, arange(6)}), Scalar(true));
  EXPECT_EQ(number("is_same_size", {x, view(x, {2, 3})}), Scalar(false));
  EXPECT_EQ(number("is_nonzero", {full({1, 1}, -0.5)}), Scalar(true));
  EXPECT_EQ(number("is_nonzero", {scalar_tensor(0)}), Scalar(false));
}

TEST(NumberCalls, say_what_is_wrong) {
  init();
  EXPECT_EQ(error_of([&] { return number("is_nonzero", {zeros({2})}); }),
            "is_nonzero: needs a tensor of one element, got sizes [2]");
  EXPECT_EQ(error_of([&] { return number("allclose", {zeros({2}), arange(2)}); }),
            "allclose: dtypes differ: f32 and i64; cast one of them");
  const Tensor x = zeros({2, 3});
  EXPECT_EQ(error_of([&] { return number("sym_size.int", {x, Scalar(2)}); }),
            "sym_size: dimension 2 is out of range; needs -2 to 1");
  EXPECT_EQ(error_of([&] { return number("sym_stride.int", {select(x, 0, 0), Scalar(-2)}); }),
            "sym_stride: dimension -2 is out of range; needs -1 to 0");
  EXPECT_EQ(error_of([&] { return number("_local_scalar_dense", {x}); }),
            "_local_scalar_dense: needs a tensor of one element, got sizes [2, 3]");
  EXPECT_EQ(error_of([&] { return ops::call("sym_numel", {x}); }),
            "sym_numel(): the result is a SymInt, not a tensor; ops::evaluate returns it");
  EXPECT_EQ(error_of([&] { return number("sym_numel", {Scalar(1)}); }),
            "sym_numel(): no overload takes these arguments\n  sym_numel(): argument 'self' "
            "(position 1) must be Tensor, got 1");
}

// Tensors and lists of them arrive as values, too.
TEST(NumberCalls, have_the_same_form_as_calls_with_other_results) {
  init();
  const Tensor x = arange(6, DType::f32);
  const auto sum = ops::evaluate("add.Tensor", {x, x});
  ASSERT_EQ(sum.size(), 1U);
  EXPECT_EQ(std::get<Tensor>(sum[0]).to_vector<float>(), add(x, x).to_vector<float>());
  const auto parts = ops::evaluate("split.Tensor", {x, Scalar(4)});
  ASSERT_EQ(parts.size(), 1U);
  const auto& list = std::get<std::vector<Tensor>>(parts[0]);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].to_vector<float>(), (std::vector<float>{4, 5}));
  EXPECT_EQ(ops::evaluate("max.dim", {view(x, {2, 3}), Scalar(1)}).size(), 2U);
}

// A program of calls by name, as a reader of model files runs it: the sum of the
// elements of x from its second row on, scaled by sizes and strides.
Tensor program(const Tensor& x) {
  const auto value = [](std::string_view name, std::initializer_list<ArgValue> arguments) {
    return ops::evaluate(name, arguments)[0];
  };
  const ArgValue rows = value("sym_size.int", {x, Scalar(0)});
  const ArgValue flat =
      value("view", {x, std::vector<Scalar>{std::get<Scalar>(value("sym_numel", {x}))}});
  const ArgValue row = value("select.int", {x, Scalar(0), Scalar(1)});
  const ArgValue offset = value("sym_storage_offset", {row});
  const ArgValue tail = value("slice.Tensor", {flat, Scalar(0), offset});
  const ArgValue mean = value("div.Scalar", {value("sum", {tail}), rows});
  return std::get<Tensor>(value("mul.Scalar", {mean, value("sym_stride.int", {x, Scalar(0)})}));
}

TEST(NumberCalls, are_expressions_in_a_compiled_function) {
  init();
  auto fast = compile(program, {.dynamic = true});
  for (int64_t rows = 2; rows < 9; ++rows) {
    const Tensor x = view(arange(rows * (rows + 3), DType::f32), {rows, rows + 3});
    EXPECT_EQ(fast(x).item<float>(), program(x).item<float>()) << rows;
  }
  EXPECT_EQ(fast.report().segments.size(), 1U);
  EXPECT_TRUE(fast.report().breaks.empty());
}

TEST(NumberCalls, that_read_an_element_split_a_compiled_function) {
  init();
  const auto scaled = [](const Tensor& x) {
    const ArgValue most = ops::evaluate("_local_scalar_dense", {amax(x)})[0];
    return mul(x, std::get<Scalar>(most));
  };
  auto fast = compile(scaled);
  for (int64_t n = 2; n < 6; ++n) {
    const Tensor x = arange(n, DType::f32);
    EXPECT_EQ(fast(x).to_vector<float>(), scaled(x).to_vector<float>());
  }
  ASSERT_EQ(fast.report().breaks.size(), 1U);
}

// Exported programs say what they were made for. Nothing is returned.
TEST(NumberCalls, assert_what_a_tensor_is) {
  init();
  using Numbers = std::vector<Scalar>;
  const Tensor x = transpose(view(arange(6, DType::f32), {2, 3}), 0, 1);
  const auto said = [&](std::initializer_list<NamedArg> named) {
    return error_of([&] {
      EXPECT_TRUE(ops::call("_assert_tensor_metadata", {x}, named).empty());
      EXPECT_TRUE(ops::evaluate("_assert_tensor_metadata", {x}, named).empty());
      return 0;
    });
  };
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({{"size", Numbers{3, 2}},
                  {"stride", Numbers{1, 3}},
                  {"dtype", DType::f32},
                  {"device", "cpu"},
                  {"layout", "strided"}}),
            "");
  EXPECT_EQ(said({{"size", Numbers{2, 3}}}),
            "_assert_tensor_metadata: the sizes are [3, 2], the program was made for [2, 3]");
  EXPECT_EQ(said({{"stride", Numbers{2, 1}}}),
            "_assert_tensor_metadata: the strides are [1, 3], the program was made for [2, 1]");
  EXPECT_EQ(said({{"dtype", DType::i64}}),
            "_assert_tensor_metadata: the dtype is f32, the program was made for i64");
  auto fast = compile([](const Tensor& t) {
    ops::call("_assert_tensor_metadata", {t}, {{"dtype", DType::f32}});
    return t * 2.0;
  });
  for (const int64_t n : {3, 4, 5}) EXPECT_EQ(fast(ones({n})).to_vector<float>()[0], 2);
  EXPECT_EQ(error_of([&] { return fast(ones({3}, DType::f64)); }),
            "_assert_tensor_metadata: the dtype is f64, the program was made for f32");
}

}  // namespace
}  // namespace vitro
