// backward() and grad(): sums at leaves, what is saved and released, writes in place and to views,
// hooks, gradients of gradients, depth.  Expected values are by hand, or differences of f64.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "autograd/leaves.h"
#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/overload.h"

namespace vitro {
namespace {

using namespace test;
using test::Numbers;

// Whether all arguments after the first one have defaults.
bool takes_one_tensor(const Schema& schema) {
  return std::all_of(schema.arguments.begin() + 1, schema.arguments.end(),
                     [](const SchemaArgument& one) { return one.default_text.has_value(); });
}

TEST(Backward, sums_the_gradients_of_leaves) {
  Tensor x = leaf({1, 2, 3}), y = leaf({4, 5, 6});
  sum(x * y + x).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{5, 6, 7}));
  EXPECT_EQ(numbers(y.grad()), (Numbers{1, 2, 3}));
  sum(x * 2.0).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{7, 8, 9}));
  x.set_grad({});
  EXPECT_FALSE(x.grad().defined());
}

TEST(Backward, gradients_of_two_leaves_are_apart) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  (x + y).backward(Tensor::from({1.0, 1.0}, {2}));
  sum(x).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{2, 2}));
  EXPECT_EQ(numbers(y.grad()), (Numbers{1, 1}));
}

TEST(Backward, a_result_is_not_a_leaf) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 3.0;
  EXPECT_TRUE(x.is_leaf());
  EXPECT_FALSE(y.is_leaf());
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(detach(y).requires_grad());
  {
    const NoGrad off;
    EXPECT_FALSE((x * 3.0).requires_grad());
    const EnableGrad on;
    EXPECT_TRUE((x * 3.0).requires_grad());
  }
  EXPECT_FALSE(argmax(x).requires_grad());
  EXPECT_FALSE(zeros_like(x).requires_grad());
  sum(y).backward();
  EXPECT_FALSE(y.grad().defined());
}

TEST(Backward, keeps_the_gradient_of_what_retains_it) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 3.0;
  y.retain_grad();
  sum(y * y).backward();
  EXPECT_EQ(numbers(y.grad()), (Numbers{6, 12}));
  EXPECT_EQ(numbers(x.grad()), (Numbers{18, 36}));
}

TEST(Backward, hooks_see_and_change_gradients) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 3.0;
  Numbers seen;
  const HookHandle looks = register_hook(y, [&](const Tensor& g) {
    seen = numbers(g);
    return Tensor();
  });
  const HookHandle doubles = register_hook(y, [](const Tensor& g) { return g * 2.0; });
  const HookHandle of_leaf = register_hook(x, [](const Tensor& g) { return g + 1.0; });
  backward(sum(y * y), {}, {.retain_graph = true});
  EXPECT_EQ(seen, (Numbers{6, 12}));
  EXPECT_EQ(numbers(x.grad()), (Numbers{37, 73}));
  doubles.remove();
  of_leaf.remove();
  x.set_grad({});
  sum(y * y).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{18, 36}));
}

TEST(Backward, a_hook_sees_the_sum_over_all_uses) {
  Tensor x = leaf({1, 2});
  int calls = 0;
  const HookHandle count = register_hook(x, [&](const Tensor& g) {
    ++calls;
    EXPECT_EQ(numbers(g), (Numbers{5, 7}));
    return Tensor();
  });
  sum(x * x + x * 3.0).backward();
  EXPECT_EQ(calls, 1);
}

TEST(Backward, asks_for_a_gradient_of_several_numbers) {
  const Tensor x = leaf({1, 2});
  EXPECT_NE(error_of([&] { (x * 2.0).backward(); }).find("reduce it to one number"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { Tensor::from({1.0}, {1}).backward(); }).find("does not require a gradient"),
      std::string::npos);
  EXPECT_NE(
      error_of([&] { (x * 2.0).backward(Tensor::from({1.0}, {1})); }).find("its gradient has"),
      std::string::npos);
}

TEST(Backward, goes_through_a_graph_once) {
  Tensor x = leaf({1, 2});
  const Tensor y = sum(exp(x));
  backward(y, {}, {.retain_graph = true});
  y.backward();
  EXPECT_NE(error_of([&] { y.backward(); }).find("released by an earlier backward"),
            std::string::npos);
}

TEST(Backward, goes_again_through_a_graph_that_saved_nothing) {
  Tensor x = leaf({1, 2});
  const Tensor y = sum(x * 2.0 + x);
  y.backward();
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{6, 6}));
}

TEST(Backward, notices_what_was_overwritten) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 1.0, z = y * y;
  (void)add_(y, 1.0);
  const std::string mistake = error_of([&] { sum(z).backward(); });
  EXPECT_NE(mistake.find("the gradient of mul needs operand 0, which was written"),
            std::string::npos)
      << mistake;
  const Tensor e = exp(x);
  (void)mul_(detach(e), 2.0);  // shares its memory
  EXPECT_NE(error_of([&] { sum(e).backward(); }).find("needs result 0"), std::string::npos);
  const Tensor a = x * 1.0, b = a + a;
  (void)add_(a, 1.0);  // not needed
  sum(b).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{2, 2}));
}

TEST(Backward, notices_what_frozen_calls_overwrite) {
  const auto increase =
      compile([](const Tensor& x) { add_(x, 1.0); }, {.fullgraph = true, .frozen = true});
  const Tensor x = leaf({1, 2}), factor = constant({3, 4});
  for (int i = 0; i < 3; ++i) {
    const Tensor y = x * factor;
    increase(factor);
    EXPECT_NE(error_of([&] { backward(sum(y)); }).find("which was written"), std::string::npos)
        << i;
  }
  EXPECT_EQ(numbers(factor), (Numbers{6, 7}));
}

TEST(Backward, a_write_in_place_is_part_of_the_history) {
  Tensor x = leaf({1, 2, 3});
  const Tensor y = x * 2.0;
  (void)mul_(y, x);
  (void)exp_(y);
  sum(y).backward();
  const auto want = [](double v) { return std::exp(2 * v * v) * 4 * v; };
  const Numbers got = numbers(x.grad());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(got[i], want(i + 1), 1e-9 * want(i + 1));
}

TEST(Backward, a_write_to_a_view_is_one_to_its_base) {
  Tensor x = leaf({1, 2, 3, 4}, {2, 2}), v = leaf({10, 20});
  const Tensor y = x * 1.0;
  const Tensor row = select(y, 0, 1), all = view(y, {4});
  (void)mul_(row, v);
  EXPECT_EQ(numbers(y), (Numbers{1, 2, 30, 80}));
  sum(all * all).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{2, 4, 600, 3200}));
  EXPECT_EQ(numbers(v.grad()), (Numbers{180, 640}));
}

TEST(Backward, what_is_filled_row_by_row_has_the_gradients_of_the_rows) {
  Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor out = zeros({3, 2}, DType::f64);
  (void)copy_(select(out, 0, 0), x);
  (void)copy_(select(out, 0, 2), x * w);
  EXPECT_TRUE(out.requires_grad());
  sum(out * out).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{2 + 2 * 9, 4 + 4 * 16}));
  EXPECT_EQ(numbers(w.grad()), (Numbers{2 * 3, 2 * 4 * 4}));
}

// Every op in place whose other arguments have defaults, beside the one that makes a new tensor;
// also of second order.
TEST(Backward, of_ops_in_place_is_that_of_the_ops) {
  size_t compared = 0;
  for (const ops::Overload& one : ops::overloads()) {
    const Schema& schema = one.schema;
    if (!schema.in_place() || !takes_one_tensor(schema)) continue;
    const std::string name = schema.name.substr(0, schema.name.size() - 1);
    const ops::Overload* other =
        ops::overload(schema.overload.empty() ? name : cat(name, '.', schema.overload));
    if (!other) continue;
    const auto gradient_of = [&](const ops::Overload& op) -> std::string {
      Tensor x = leaf({0.3, 0.6, 0.9});
      manual_seed(0);
      const ArgValue self = x * 0.9;
      const Tensor y = ops::call(op, {&self, 1}, std::span<const NamedArg>())[0];
      const Tensor g = grad(sum(y * y), {x}, {.create_graph = true, .materialize_grads = true})[0];
      if (!g.requires_grad()) return testing::PrintToString(numbers(g));
      const Tensor second = grad(sum(g * g), {x}, {.materialize_grads = true})[0];
      return testing::PrintToString(std::vector{numbers(g), numbers(second)});
    };
    std::string want, got;
    if (!error_of([&] { want = gradient_of(*other); }).empty()) continue;
    EXPECT_EQ(error_of([&] { got = gradient_of(one); }), "") << schema.full_name();
    EXPECT_EQ(got, want) << schema.full_name();
    ++compared;
  }
  EXPECT_GT(compared, 60U);
}

// What is overwritten is a factor of the gradient of the other one.
TEST(Backward, of_a_product_in_place_is_differentiated_again) {
  Tensor x = leaf({0.3, 0.7}), a = leaf({0.5, 0.9});
  const auto second = [&](const Tensor& y) {
    const std::vector<Tensor> g = grad(sum(y), {x, a}, {.create_graph = true});
    return numbers(grad(sum(g[1] * g[1]), {x})[0]);
  };
  const Tensor y = x * 1.0;
  EXPECT_EQ(second(mul_(y, a)), (Numbers{0.6, 1.4}));
  const Tensor z = x * 1.0;
  (void)mul_(slice(z, 0, 0, 1), slice(a, 0, 0, 1));
  EXPECT_EQ(second(z * z), second(cat({slice(x, 0, 0, 1) * slice(a, 0, 0, 1), slice(x, 0, 1)}, 0) *
                                  cat({slice(x, 0, 0, 1) * slice(a, 0, 0, 1), slice(x, 0, 1)}, 0)));
}

TEST(Backward, refuses_to_record_a_write_to_a_leaf) {
  Tensor x = leaf({1, 2, 3});
  EXPECT_NE(error_of([&] { (void)add_(x, 1.0); }).find("a leaf that requires a gradient"),
            std::string::npos);
  EXPECT_NE(error_of([&] { (void)zero_(slice(x, 0, 0, 1)); }).find("a view of a leaf"),
            std::string::npos);
  Tensor view = slice(zeros({4}), 0, 0, 2);  // of what requires none
  view.set_requires_grad(true);
  EXPECT_NE(error_of([&] { (void)add_(view, 1.0); }).find("writes to a leaf"), std::string::npos);
  EXPECT_NE(error_of([&] { (void)add_(transpose(view, 0, 0), 1.0); }).find("to a view of a leaf"),
            std::string::npos);
  {
    const NoGrad off;
    (void)add_(x, 1.0);
  }
  EXPECT_EQ(numbers(detach(x)), (Numbers{2, 3, 4}));
  EXPECT_TRUE(x.is_leaf());
  EXPECT_NE(error_of([&] { (x * 2.0).set_requires_grad(false); }).find("detach"),
            std::string::npos);
}

TEST(Backward, refuses_to_record_a_write_to_a_view_of_which_nothing_is_recorded) {
  Tensor x = leaf({1, 2, 3});
  const Tensor y = x * 1.0;
  std::optional<NoGrad> off(std::in_place);
  const Tensor part = slice(y, 0, 0, 2);
  off.reset();
  EXPECT_NE(
      error_of([&] { (void)mul_(part, slice(x, 0, 1, 3)); }).find("made in the scope of a NoGrad"),
      std::string::npos);
}

TEST(Backward, errors_name_the_place_of_the_call) {
  Tensor x = leaf({1, 2});
  const Tensor y = x * 1.0;
  const int line = __LINE__ + 1;
  const Tensor z = y * y;
  (void)add_(y, 1.0);
  try {
    sum(z).backward();
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(cat("backward_test.cpp:", line)), std::string::npos)
        << e.what();
  }
}

// What an error says, the place without the path.
template <class F>
std::string text_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(Backward, errors_name_what_the_program_called_and_where) {
  Tensor x = leaf({1, 2});
  const auto here = [](int line) {
    return cat(" (backward_test.cpp:", line,
               " in vitro::Backward_errors_name_what_the_program_called_and_where_"
               "Test::TestBody)");
  };
  const int first = __LINE__ + 1;
  const Tensor loss = mse_loss(x, zeros_like(detach(x)));
  loss.backward();
  EXPECT_EQ(text_of([&] { loss.backward(); }),
            cat("mse_loss: the values that mul saved were released by an earlier backward; pass "
                "{.retain_graph = true} to that one to go through the graph again",
                here(first)));
  const int second = __LINE__ + 1;
  const Tensor y = exp(x);
  EXPECT_EQ(text_of([&] { y.backward(); }),
            cat("backward: the output of exp has sizes [2]; pass its gradient, or reduce it to one "
                "number (sum, mean)",
                here(second)));
  EXPECT_EQ(text_of([&] { x.backward(); }),
            "backward: the output has sizes [2]; pass its gradient, or reduce it to one number "
            "(sum, mean)");
  const int third = __LINE__ + 1;
  const std::string written = text_of([&] { (void)add_(x, 1.0); });
  EXPECT_EQ(written.find("add_: writes to a leaf that requires a gradient"), 0U) << written;
  EXPECT_NE(written.find(cat(" (backward_test.cpp:", third, " in ")), std::string::npos) << written;
}

TEST(Backward, sums_those_of_the_inputs_that_are_named) {
  Tensor x = leaf({1, 2}), w = leaf({3, 4});
  const Tensor y = x * w;
  const auto loss = [&] { return sum(y * y); };
  backward(loss(), {}, {.retain_graph = true, .inputs = {w, y}});
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(numbers(w.grad()), (Numbers{2 * 3 * 1, 2 * 8 * 2}));
  EXPECT_EQ(numbers(y.grad()), (Numbers{6, 16}));
  backward(loss(), {}, {.retain_graph = true, .inputs = {y}});
  EXPECT_EQ(numbers(y.grad()), (Numbers{12, 32}));
}

TEST(Backward, views_of_views_may_be_deep) {
  Tensor x = leaf({1, 2});
  const Tensor base = x * 1.0;
  Tensor y = base;
  for (int i = 0; i < 20000; ++i) y = view(y, i % 2 == 0 ? Sizes{2, 1} : Sizes{2});
  sum(y * y).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{2, 4}));
  x.set_grad({});
  (void)mul_(y, 3.0);
  sum(base).backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{3, 3}));
}

TEST(Backward, a_hook_may_outlive_its_tensor) {
  HookHandle handle;
  {
    Tensor x = leaf({1, 2});
    handle = register_hook(x, [](const Tensor&) { return Tensor(); });
  }
  handle.remove();
}

TEST(Grad, gives_gradients_and_changes_no_leaf) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4}), unused = leaf({5});
  const Tensor z = x * y;
  const auto got = grad(sum(z * z), {x, z});
  EXPECT_EQ(numbers(got[0]), (Numbers{2 * 1 * 9, 2 * 2 * 16}));
  EXPECT_EQ(numbers(got[1]), (Numbers{6, 16}));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_NE(error_of([&] { (void)grad(sum(x * y), {unused}); }).find("do not depend on input 0"),
            std::string::npos);
  EXPECT_FALSE(grad(sum(x * y), {unused}, {.allow_unused = true})[0].defined());
  EXPECT_EQ(numbers(grad(sum(x * y), {unused}, {.materialize_grads = true})[0]), (Numbers{0}));
}

TEST(Grad, with_respect_to_parameters_is_that_of_the_tensors) {
  Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const std::vector<Tensor*> parameters{&x, &y};
  const auto got = grad(sum(x * y), parameters);
  EXPECT_EQ(numbers(got[0]), (Numbers{3, 4}));
  EXPECT_EQ(numbers(got[1]), (Numbers{1, 2}));
}

TEST(Grad, of_gradients) {
  Tensor x = leaf({0.5, 2});
  const Tensor first = grad(sum(x * x * x), {x}, {.create_graph = true})[0];
  EXPECT_EQ(numbers(first), (Numbers{0.75, 12}));
  const Tensor second = grad(sum(first), {x}, {.create_graph = true})[0];
  EXPECT_EQ(numbers(second), (Numbers{3, 12}));
  EXPECT_EQ(numbers(grad(sum(second), {x})[0]), (Numbers{6, 6}));
  const Tensor slope = grad(sum(exp(x)), {x}, {.create_graph = true})[0];  // a saved result
  EXPECT_EQ(numbers(grad(sum(slope), {x})[0]), numbers(exp(detach(x))));
}

TEST(Backward, graphs_may_be_deep) {
  Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 100000; ++i) y = y + 1.0;
  y.backward();
  EXPECT_EQ(numbers(x.grad()), (Numbers{1}));
  for (int i = 0; i < 100000; ++i) y = y * x;  // ends unwalked, with what it saved
}

TEST(Backward, threads_share_leaves) {
  Tensor w = leaf({1, 2});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) sum(w * 2.0).backward();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(numbers(w.grad()), (Numbers{400, 400}));
}

TEST(Backward, of_complex_numbers_is_that_of_pairs) {
  const Tensor pairs = Tensor::from({1.0, 2.0, 3.0, 4.0}, {2, 2});
  Tensor z = Tensor::of_pairs(pairs);
  (void)z.set_requires_grad(true);
  sum(real(z * conj(z))).backward();  // |z|^2
  EXPECT_EQ(numbers(z.grad().pairs()), (Numbers{2, 4, 6, 8}));
}

// ---- compiled

TEST(Backward, a_compiled_step_is_one_program) {
  const auto step = [](Tensor& w, const Tensor& x, const Tensor& y) {
    const Tensor loss = mean(square(matmul(x, w) - y));
    loss.backward();
    {
      const NoGrad off;
      (void)sub_(w, w.grad() * 0.1);
    }
    w.set_grad({});
    return loss;
  };
  const auto begin = [] { return leaf({1, 2, 3, 4, 5, 6}, {3, 2}); };
  Tensor a = begin(), b = begin();
  auto fast = compile([&](const Tensor& x, const Tensor& y) { return step(b, x, y); });
  for (int i = 0; i < 4; ++i) {
    const Tensor x = reshape(sin(to(arange(15), DType::f64) + i), {5, 3}),
                 y = reshape(cos(to(arange(10), DType::f64)), {5, 2});
    const Tensor want = step(a, x, y), got = fast(x, y);
    EXPECT_NEAR(want.item<double>(), got.item<double>(), 1e-12);
  }
  const Numbers want = numbers(detach(a)), got = numbers(detach(b));
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(want[i], got[i], 1e-12);
  const CompiledReport report = fast.report();
  EXPECT_EQ(report.segments.size(), 1U);
  EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks[0].reason;
  EXPECT_TRUE(report.breaks.empty());
}

TEST(Backward, frozen_functions_record_nothing) {
  Tensor x = leaf({1, 2, 3, 4});
  auto rows = compile([](const Tensor& t) { return view(t * 2.0, {2, 2}); },
                      {.fullgraph = true, .frozen = true});
  EXPECT_NE(error_of([&] { (void)rows(x); }).find("in the scope of a NoGrad"), std::string::npos);
  const NoGrad off;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(numbers(rows(x)), (Numbers{2, 4, 6, 8}));
  const EnableGrad on;
  const Tensor without = detach(x);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(numbers(rows(without)), (Numbers{2, 4, 6, 8}));
}

TEST(Backward, a_write_in_a_compiled_function_is_noticed) {
  Tensor x = leaf({1, 2, 3});
  const auto body = [](const Tensor& t, bool write) {
    const Tensor y = t * 1.0, z = y * y;
    if (write) (void)add_(view(y, {3, 1}), 1.0);
    return std::vector<Tensor>{y, z};
  };
  auto fast = compile(body);
  for (int i = 0; i < 2; ++i) {
    sum(fast(x, false)[1]).backward();
    const auto results = fast(x, true);
    EXPECT_NE(error_of([&] { sum(results[1]).backward(); }).find("needs operand 0"),
              std::string::npos);
  }
  EXPECT_EQ(numbers(x.grad()), (Numbers{4, 8, 12}));
}

TEST(Backward, goes_on_outside_of_a_compiled_function) {
  Tensor x = leaf({1, 2, 3});
  const auto body = [](const Tensor& t) { return sum(exp(t) * sin(t)); };
  auto fast = compile(body);
  for (int i = 0; i < 3; ++i) {
    x.set_grad({});
    body(x).backward();
    const Numbers want = numbers(x.grad());
    x.set_grad({});
    fast(x).backward();
    const Numbers got = numbers(x.grad());
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(want[k], got[k], 1e-12);
  }
}

}  // namespace
}  // namespace vitro
