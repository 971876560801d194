// Functions with a backward pass of their own, derivatives of functions, and detection of NaN.
// Expected values are closed forms.
#include "vitro/autograd/function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "autograd/leaves.h"
#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/autograd/functional.h"
#include "vitro/compile/compile.h"
#include "vitro/ops/all.h"
#include "vitro/ops/complex.h"

namespace vitro {
namespace {

using namespace test;
using test::Numbers;

// x^3, with a backward pass that counts its calls.
struct Cube : Function<Cube> {
  static constexpr std::string_view name = "cube";
  static inline int passes = 0;
  static Tensor forward(FunctionContext& context, const Tensor& x) {
    EXPECT_FALSE((x * 2.0).requires_grad());
    context.save_for_backward({x});
    return x * x * x;
  }
  static std::vector<Tensor> backward(FunctionContext& context, std::span<const Tensor> g) {
    ++passes;
    const Tensor x = context.saved_tensors()[0];
    return {g[0] * 3.0 * x * x};
  }
};

TEST(OwnFunction, has_its_own_backward_pass) {
  Tensor x = leaf({1, 2});
  const Tensor y = Cube::apply(x * 1.0);
  EXPECT_TRUE(y.requires_grad() && !y.is_leaf());
  const int before = Cube::passes;
  sum(y * 2.0).backward();
  EXPECT_EQ(Cube::passes, before + 1);
  EXPECT_EQ(numbers(x.grad()), (Numbers{6, 24}));
}

TEST(OwnFunction, records_nothing_where_no_gradient_is_needed) {
  EXPECT_FALSE(Cube::apply(constant({1, 2})).requires_grad());
  Tensor x = leaf({1, 2});
  const NoGrad off;
  EXPECT_FALSE(Cube::apply(x).requires_grad());
}

TEST(OwnFunction, is_differentiated_twice_through_its_backward_pass) {
  Tensor x = leaf({1, 2});
  const Tensor g = grad(sum(Cube::apply(x)), {x}, {.create_graph = true})[0];
  EXPECT_EQ(numbers(g), (Numbers{3, 12}));
  EXPECT_EQ(numbers(grad(sum(g), {x})[0]), (Numbers{6, 12}));
}

// exp, which saves its result, of a complex or real argument; and a second result, a number.
struct Exp : Function<Exp> {
  static std::vector<Tensor> forward(FunctionContext& context, const Tensor& x, double factor) {
    const Tensor y = exp(x * factor), count = ones({}, DType::f64);
    context.save_for_backward({y});
    context.mark_non_differentiable({count});
    return {y, count};
  }
  static std::vector<Tensor> backward(FunctionContext& context, std::span<const Tensor> g) {
    EXPECT_TRUE(context.needs_input_grad(0));
    EXPECT_FALSE(context.needs_input_grad(1));
    return {g[0] * conj(context.saved_tensors()[0]), {}};
  }
};

TEST(OwnFunction, may_save_its_result_and_take_numbers) {
  Tensor x = leaf({0.5, 1});
  const std::vector<Tensor> y = Exp::apply(x, 1.0);
  EXPECT_FALSE(y[1].requires_grad());
  const Tensor g = grad(sum(y[0]), {x}, {.create_graph = true})[0];
  expect_near(g, {std::exp(0.5), std::exp(1)});
  expect_near(grad(sum(g * g), {x})[0], {2 * std::exp(1), 2 * std::exp(2)});
}

TEST(OwnFunction, takes_complex_numbers) {
  Tensor z = clone(Tensor::of_pairs(Tensor::from({0.3, 0.4}, {1, 2}))).set_requires_grad(true);
  Tensor w = clone(detach(z)).set_requires_grad(true);
  sum(real(Exp::apply(z, 1.0)[0])).backward();
  sum(real(exp(w))).backward();
  expect_near(z.grad().pairs(), numbers(w.grad().pairs()));
}

TEST(OwnFunction, is_compiled_with_what_is_around_it) {
  auto f = compile([](const Tensor& x) {
    const Tensor y = sum(Cube::apply(x * 2.0));
    return grad(y, {x})[0];
  });
  auto forward = compile([](const Tensor& x) { return sum(Cube::apply(x * 2.0)); });
  for (const Numbers& values : {Numbers{1, 2}, Numbers{1, 2, 3}, Numbers{3}}) {
    Tensor x = leaf(values);
    Numbers want;
    for (const double v : values) want.push_back(24 * v * v);
    expect_near(f(x), want);
    forward(x).backward();
    expect_near(x.grad(), want);
  }
  EXPECT_TRUE(f.report().fallbacks.empty() && f.report().breaks.empty());
}

// The size of the result depends on data, and is not known from the argument.
TEST(OwnFunction, may_have_a_result_sized_by_data) {
  struct Positive : Function<Positive> {
    static Tensor forward(FunctionContext& context, const Tensor& x) {
      context.save_for_backward({x});
      return masked_select(x, x > 0.0);
    }
    static std::vector<Tensor> backward(FunctionContext& context, std::span<const Tensor> g) {
      const Tensor x = context.saved_tensors()[0];
      return {masked_scatter(zeros_like(x), x > 0.0, g[0])};
    }
  };
  auto f = compile([](const Tensor& x) { return Positive::apply(x); });
  Tensor x = leaf({1, -2, 3});
  sum(f(x) * 2.0).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{2, 0, 2}));
}

TEST(OwnFunction, keeps_what_its_context_has) {
  struct Scale : Function<Scale> {
    struct Context : FunctionContext {
      double factor = 0;
    };
    static Tensor forward(Context& context, const Tensor& x, double factor) {
      context.factor = factor;
      return x * factor;
    }
    static std::vector<Tensor> backward(Context& context, std::span<const Tensor> g) {
      return {g[0] * context.factor, {}};
    }
  };
  Tensor x = leaf({1, 2});
  sum(Scale::apply(x, 3.0)).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{3, 3}));
}

TEST(OwnFunction, may_return_its_argument) {
  struct Same : Function<Same> {
    static Tensor forward(FunctionContext&, const Tensor& x) { return x; }
    static std::vector<Tensor> backward(FunctionContext&, std::span<const Tensor> g) {
      return {-g[0]};
    }
  };
  Tensor x = leaf({1, 2});
  sum(Same::apply(x)).backward();
  EXPECT_TRUE(x.is_leaf());
  EXPECT_EQ(numbers(x.grad()), (Numbers{-1, -1}));
}

struct Wrong : Function<Wrong> {
  static constexpr std::string_view name = "wrong";
  static Tensor forward(FunctionContext& context, const Tensor& x, int which) {
    context.save_for_backward({x});
    return x * static_cast<double>(which);
  }
  static std::vector<Tensor> backward(FunctionContext& context, std::span<const Tensor> g) {
    (void)context.saved_tensors();
    return g[0].numel().value() == 2 ? std::vector<Tensor>{g[0]}
                                     : std::vector<Tensor>{zeros({7}, DType::f64), {}};
  }
};

TEST(OwnFunction, mistakes_are_errors) {
  Tensor x = leaf({1, 2}), longer = leaf({1, 2, 3});
  EXPECT_EQ(error_of([&] { sum(Wrong::apply(x, 1)).backward(); }),
            "wrong: backward returned 1 gradients for 2 arguments; return one for each, undefined "
            "where there is none");
  EXPECT_EQ(error_of([&] { sum(Wrong::apply(longer, 1)).backward(); }),
            "wrong: backward returned f64[7] for argument 0, which is f64[3]");
  const Tensor base = x * 1.0, y = Cube::apply(base);
  (void)add_(base, 1.0);
  EXPECT_EQ(
      error_of([&] { sum(y).backward(); }),
      "backward: saved tensor 0 of a function was written after it was saved; clone it before "
      "that");
  const Tensor z = sum(Cube::apply(x));
  z.backward();
  EXPECT_NE(error_of([&] { z.backward(); }).find("were released by an earlier backward"),
            std::string::npos);
}

TEST(Functional, jacobian_and_products_with_it) {
  const auto f = [](const functional::Tensors& in) {
    return functional::Tensors{in[0] * in[0] * in[1], sum(in[1]), ones({2}, DType::f64)};
  };
  const Tensor a = constant({1, 2}), b = constant({3, 4});
  const auto j = functional::jacobian(f, {a, b});
  EXPECT_EQ(numbers(j[0][0]), (Numbers{6, 0, 0, 16}));
  EXPECT_EQ(numbers(j[0][1]), (Numbers{1, 0, 0, 4}));
  EXPECT_EQ(numbers(j[1][0]), (Numbers{0, 0}));
  EXPECT_EQ(numbers(j[1][1]), (Numbers{1, 1}));
  EXPECT_EQ(numbers(j[2][1]), (Numbers{0, 0, 0, 0}));
  EXPECT_FALSE(a.requires_grad());
  const auto [values, vj] =
      functional::vjp(f, {a, b}, {constant({1, 10}), Tensor::from({100.0}, {}), ones({2})});
  EXPECT_EQ(numbers(values[0]), (Numbers{3, 16}));
  EXPECT_EQ(numbers(vj[0]), (Numbers{6, 160}));
  EXPECT_EQ(numbers(vj[1]), (Numbers{101, 140}));
  const auto [again, jv] = functional::jvp(f, {a, b}, {constant({1, 10}), constant({100, 1000})});
  EXPECT_EQ(numbers(jv[0]), (Numbers{106, 4160}));
  EXPECT_EQ(numbers(jv[1]), (Numbers{1100}));
  EXPECT_EQ(numbers(jv[2]), (Numbers{0, 0}));
}

TEST(Functional, hessian_and_products_with_it) {
  const auto f = [](const Tensor& x) { return sum(x * x * x) + prod(x); };
  const Tensor x = constant({1, 2, 3});
  expect_near(functional::hessian(f, x), {6, 3, 2, 3, 12, 1, 2, 1, 18});
  const auto [value, product] = functional::hvp(f, x, constant({1, 10, 100}));
  EXPECT_EQ(value.item<double>(), 42);
  expect_near(product, {236, 223, 1812});
  const auto two = functional::hessian(
      [](const functional::Tensors& in) { return functional::Tensors{sum(in[0] * in[0] * in[1])}; },
      {constant({1, 2}), constant({3, 4})});
  EXPECT_EQ(numbers(two[0][0]), (Numbers{6, 0, 0, 8}));
  EXPECT_EQ(numbers(two[0][1]), (Numbers{2, 0, 0, 4}));
  EXPECT_EQ(numbers(two[1][1]), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(error_of([&] { functional::hessian([](const Tensor& t) { return t * t; }, x); }),
            "hessian: the function returns one number, got 1 results of sizes [3]");
  EXPECT_EQ(error_of([&] { functional::hvp(f, x, constant({1})); }),
            "hvp: v[0] has sizes [1], the tensor among the inputs has [3]");
}

TEST(Functional, results_can_be_differentiated_and_compiled) {
  Tensor x = leaf({1, 2});
  const Tensor h = functional::hessian([](const Tensor& t) { return sum(t * t * t); }, x,
                                       {.create_graph = true});
  EXPECT_EQ(numbers(grad(sum(h), {x})[0]), (Numbers{6, 6}));
  auto f = compile([](const Tensor& t, const Tensor& v) {
    return functional::jvp([](const Tensor& s) { return exp(s) * s; }, t, v).second;
  });
  expect_near(f(constant({1, 2}), constant({1, 10})), {2 * std::exp(1), 30 * std::exp(2)});
  EXPECT_TRUE(f.report().fallbacks.empty() && f.report().breaks.empty());
}

TEST(DetectAnomaly, names_the_op_whose_gradient_is_nan) {
  Tensor x = leaf({0, 1});
  const auto loss = [&] { return sum(sqrt(x) * 0.0); };
  loss().backward();
  EXPECT_TRUE(std::isnan(numbers(x.grad())[0]));
  {
    const DetectAnomaly on;
    try {
      loss().backward();
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.message(), "backward: the gradient of operand 0 of sqrt has NaN elements");
      EXPECT_TRUE(e.location().starts_with("function_test.cpp:")) << e.location();
    }
    sum(sqrt(x + 1.0)).backward();
  }
  loss().backward();
}

}  // namespace
}  // namespace vitro
