// A default stands in the schema and beside the C++ function: a call that leaves all of them out is
// the same program either way.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "graph/programs.h"
#include "vitro/base/cat.h"
#include "vitro/ops/overload.h"

namespace vitro::graph {
namespace {

struct Inputs {
  Tensor x, y, image, row, at;  // f32[4, 4] twice, f32[1, 1, 4, 4], f32[4], i64[4, 4]
};
using Results = std::vector<Tensor>;

Results listed(Tensor one) {
  return {std::move(one)};
}
Results listed(Results many) {
  return many;
}
template <class... T>
Results listed(const std::tuple<T...>& many) {
  return std::apply([](const auto&... one) { return Results{one...}; }, many);
}
template <class A, class B>
Results listed(const std::pair<A, B>& both) {
  return {both.first, both.second};
}

// An overload, its arguments that have no default, and the same call in C++.
struct Row {
  std::string_view overload;
  std::function<std::vector<ArgValue>(const Inputs&)> required;
  std::function<Results(const Inputs&)> call;
};

std::string program(const std::function<Results(const Inputs&)>& call) {
  Builder b;
  const Inputs in{b.input("x", f32({4, 4})), b.input("y", f32({4, 4})),
                  b.input("image", f32({1, 1, 4, 4})), b.input("row", f32({4})),
                  b.input("at", ops::dense(DType::i64, cpu, {4, 4}))};
  const Using use(&b);
  b.set_place({});
  for (const Tensor& one : call(in)) b.output(one);
  return print(b.take());
}

using Numbers = std::vector<Scalar>;
using Tensors = std::vector<Tensor>;
#define ROW(overload, arguments, ...)                               \
  Row {                                                             \
    overload,                                                       \
        [](const Inputs& in) -> std::vector<ArgValue> {             \
          [[maybe_unused]] const auto& [x, y, image, row, at] = in; \
          return std::vector<ArgValue> arguments;                   \
        },                                                          \
        [](const Inputs& in) {                                      \
          [[maybe_unused]] const auto& [x, y, image, row, at] = in; \
          return listed(__VA_ARGS__);                               \
        }                                                           \
  }

std::vector<Row> rows() {
  return {
      ROW("gelu", ({x}), gelu(x)),
      ROW("leaky_relu", ({x}), leaky_relu(x)),
      ROW("elu", ({x}), elu(x)),
      ROW("hardtanh", ({x}), hardtanh(x)),
      ROW("add.Tensor", ({x, y}), add(x, y)),
      ROW("add.Scalar", ({x, Scalar(2)}), add(x, 2)),
      ROW("sub.Tensor", ({x, y}), sub(x, y)),
      ROW("sub.Scalar", ({x, Scalar(2)}), sub(x, 2)),
      ROW("full", ({Numbers{2}, Scalar(1)}), full({2}, 1)),
      ROW("full_like", ({x, Scalar(1)}), full_like(x, 1)),
      ROW("arange.start_step", ({Scalar(1), Scalar(4)}), arange(1, 4)),
      ROW("arange", ({Scalar(4)}), arange(4)),
      ROW("arange.start", ({Scalar(1), Scalar(4)}), arange(1, 4)),
      ROW("copy", ({x, y}), copy(x, y)),
      ROW("clone", ({x}), clone(x)),
      ROW("tril", ({x}), tril(x)),
      ROW("triu", ({x}), triu(x)),
      ROW("sum", ({x}), sum(x)),
      ROW("sum.dim_IntList", ({x, Numbers{1}}), sum(x, {1})),
      ROW("mean", ({x}), mean(x)),
      ROW("mean.dim", ({x, Numbers{1}}), mean(x, {1})),
      ROW("prod", ({x}), prod(x)),
      ROW("prod.dim_int", ({x, Scalar(1)}), prod(x, {1})),
      ROW("amax", ({x}), amax(x)),
      ROW("amin", ({x}), amin(x)),
      ROW("argmax", ({x}), argmax(x)),
      ROW("argmin", ({x}), argmin(x)),
      ROW("any.dim", ({x, Scalar(1)}), any(x, {1})),
      ROW("any.dims", ({x}), any(x)),
      ROW("all.dim", ({x, Scalar(1)}), all(x, {1})),
      ROW("all.dims", ({x}), all(x)),
      ROW("max.dim", ({x, Scalar(1)}), max(x, 1)),
      ROW("min.dim", ({x, Scalar(1)}), min(x, 1)),
      ROW("aminmax", ({x}), aminmax(x)),
      ROW("cumsum", ({x, Scalar(1)}), cumsum(x, 1)),
      ROW("cumprod", ({x, Scalar(1)}), cumprod(x, 1)),
      ROW("expand", ({x, Numbers{2, 4, 4}}), expand(x, {2, 4, 4})),
      ROW("slice.Tensor", ({x}), slice(x)),
      ROW("diagonal", ({x}), diagonal(x)),
      ROW("as_strided", ({row, Numbers{2}, Numbers{3}}), as_strided(row, {2}, {3})),
      ROW("cat", ({Tensors{x, y}}), cat({x, y})),
      ROW("stack", ({Tensors{x, y}}), stack({x, y})),
      ROW("embedding", ({x, at}), embedding(x, at)),
      ROW("gather", ({x, Scalar(1), at}), gather(x, 1, at)),
      ROW("slice_scatter", ({x, y}), slice_scatter(x, y)),
      ROW("diagonal_scatter", ({x, select(y, 0, 0)}), diagonal_scatter(x, select(y, 0, 0))),
      ROW("as_strided_scatter", ({row, select(x, 0, 0), Numbers{4}, Numbers{1}}),
          as_strided_scatter(row, select(x, 0, 0), {4}, {1})),
      ROW("addmm", ({x, y, y}), addmm(x, y, y)),
      ROW("linear", ({x, y}), linear(x, y)),
      ROW("var.correction", ({x}), var(x)),
      ROW("var", ({x}), var(x)),
      ROW("var.dim", ({x, Numbers{1}}), var(x, {1})),
      ROW("var_mean.correction", ({x}), var_mean(x)),
      ROW("var_mean", ({x}), var_mean(x)),
      ROW("var_mean.dim", ({x, Numbers{1}}), var_mean(x, {1})),
      ROW("scaled_dot_product_attention", ({x, y, x}), scaled_dot_product_attention(x, y, x)),
      ROW("conv2d", ({image, image}), conv2d(image, image)),
      ROW("zeros", ({Numbers{2}}), zeros({2})),
      ROW("ones", ({Numbers{2}}), ones({2})),
      ROW("zeros_like", ({x}), zeros_like(x)),
      ROW("ones_like", ({x}), ones_like(x)),
      ROW("scalar_tensor", ({Scalar(2)}), scalar_tensor(2)),
      ROW("contiguous", ({t(x)}), contiguous(t(x))),
      ROW("to.dtype", ({x, DType::f64}), to(x, DType::f64)),
      ROW("flatten.using_ints", ({x}), flatten(x)),
      ROW("split.Tensor", ({x, Scalar(2)}), split(x, 2)),
      ROW("split_with_sizes", ({x, Numbers{1, 3}}), split_with_sizes(x, {1, 3})),
      ROW("chunk", ({x, Scalar(2)}), chunk(x, 2)),
      ROW("unbind.int", ({x}), unbind(x)),
      ROW("softmax.int", ({x, Scalar(1)}), softmax(x, 1)),
      ROW("log_softmax.int", ({x, Scalar(1)}), log_softmax(x, 1)),
      ROW("layer_norm", ({x, Numbers{4}}), layer_norm(x, {4})),
  };
}

TEST(Defaults, of_functions_are_those_of_their_schemas) {
  for (const Row& row : rows()) {
    const ops::Overload* overload = ops::overload(row.overload);
    ASSERT_TRUE(overload) << row.overload;
    EXPECT_EQ(program([&](const Inputs& in) { return ops::call(*overload, row.required(in)); }),
              program(row.call))
        << row.overload;
  }
}

TEST(Defaults, are_compared_for_every_overload_that_has_some) {
  // clamp needs one of its bounds; _to_copy is what `to` and others call.
  std::set<std::string, std::less<>> seen{"clamp", "clamp.Tensor", "_to_copy"};
  for (const Row& row : rows()) seen.emplace(row.overload);
  for (const ops::Overload& one : ops::overloads()) {
    const auto& arguments = one.schema.arguments;
    const bool has_defaults = std::any_of(arguments.begin(), arguments.end(),
                                          [](const auto& a) { return a.default_text.has_value(); });
    EXPECT_TRUE(one.schema.in_place() || !has_defaults || seen.contains(one.schema.full_name()))
        << cat(one.schema);
  }
}

}  // namespace
}  // namespace vitro::graph
