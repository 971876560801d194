// What PyTorch's rules say of gradients that are kept, hooks, views, layouts and misuse.  Expected
// values are those of torch 2.13, or by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "autograd/leaves.h"
#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/nn/clip.h"
#include "vitro/ops/all.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/overload.h"

namespace vitro {
namespace {

using namespace test;
using test::Numbers;

TEST(Rules, gradients_of_a_recorded_pass_have_memory_of_their_own) {
  Tensor a = leaf({1, 2}), b = leaf({3, 4});
  const Tensor seed = constant({3, 4});
  backward(a + b, seed, {.create_graph = true});
  {
    const NoGrad off;
    nn::clip_grad_norm_(std::vector<Tensor*>{&a, &b}, 1.0);
  }
  expect_near(a.grad(), {3 / (std::sqrt(50.0) + 1e-6), 4 / (std::sqrt(50.0) + 1e-6)});
  EXPECT_EQ(numbers(seed), (Numbers{3, 4}));
}

TEST(Rules, a_retained_gradient_is_a_sum) {
  Tensor a = leaf({1, 2});
  const Tensor y = a * 2.0;
  y.retain_grad();
  sum(y * y).backward();
  EXPECT_EQ(numbers(y.grad()), (Numbers{4, 8}));
  sum(y * y).backward();
  EXPECT_EQ(numbers(y.grad()), (Numbers{8, 16}));
  backward(sum(y), {}, {.inputs = {y}});
  EXPECT_EQ(numbers(y.grad()), (Numbers{9, 17}));
}

TEST(Rules, a_retained_gradient_is_that_after_all_hooks) {
  Tensor a = leaf({1, 2});
  const Tensor y = a * 2.0;
  y.retain_grad();
  register_hook(y, [](const Tensor& g) { return g * 100.0; });
  sum(y).backward();
  EXPECT_EQ(numbers(y.grad()), (Numbers{100, 100}));
}

TEST(Rules, an_input_that_is_named_twice_is_one) {
  Tensor a = leaf({1, 2});
  backward(sum(a * a), {}, {.inputs = {a, a}});
  EXPECT_EQ(numbers(a.grad()), (Numbers{2, 4}));
}

TEST(Rules, a_leaf_whose_elements_share_memory_has_a_gradient_for_each) {
  Tensor a = expand(constant({2}), {3}).set_requires_grad(true);
  for (int pass = 0; pass < 2; ++pass) sum(a * a).backward();
  EXPECT_EQ(numbers(a.grad()), (Numbers{8, 8, 8}));
}

TEST(Rules, a_leaf_that_requires_no_gradient_any_more_gets_none) {
  Tensor a = leaf({1, 2});
  const Tensor loss = sum(a * a);
  a.set_requires_grad(false);
  loss.backward();
  EXPECT_FALSE(a.grad().defined());
}

// The steps of these views are gone through anew, after a write to the base.
TEST(Rules, a_view_follows_writes_to_its_base) {
  const std::function<Tensor(const Tensor&)> views[] = {
      [](const Tensor& b) { return select(b, 0, 1); },
      [](const Tensor& b) { return slice(b, 0, 0, 2); },
      [](const Tensor& b) { return split(b, 2)[0]; },
      [](const Tensor& b) { return unfold(b, 0, 2, 1); },
      [](const Tensor& b) { return diagonal(expand(b, {3, 3})); },
      [](const Tensor& b) { return view(b, {3, 1}); }};
  for (const auto& make : views) {
    Tensor a = leaf({0.1, 0.2, 0.3}), expected = leaf({0.1, 0.2, 0.3});
    const Tensor base = a * 1.0, seen = make(base);
    (void)mul_(base, 3.0);
    sum(exp(seen)).backward();
    sum(exp(make(expected * 3.0))).backward();
    expect_near(a.grad(), numbers(expected.grad()));
  }
}

TEST(Rules, a_view_of_a_leaf_has_its_gradient_after_an_update) {
  Tensor w = leaf({0.1, 0.2, 5});
  const Tensor seen = slice(w, 0, 0, 2);
  {
    const NoGrad off;
    (void)add_(w, 1.0);
  }
  sum(seen * seen).backward();
  expect_near(w.grad(), {2.2, 2.4, 0});
}

TEST(Rules, a_write_to_a_view_is_differentiated_twice) {
  Tensor a = leaf({0.1, 0.2, 0.3, 0.4});
  const auto second = [&](bool retain) {
    const Tensor b = reshape(a, {2, 2}) * 1.0;
    (void)exp_(select(b, 0, 0));
    const Tensor g = grad(sum(b * b * b), {a}, {.create_graph = true})[0];
    return grad(sum(g * g), {a}, {.retain_graph = retain})[0];
  };
  Numbers want;  // d/da (3 e^3a)^2 and d/da (3 a^2)^2
  for (const double x : {0.1, 0.2}) want.push_back(54 * std::exp(6 * x));
  for (const double x : {0.3, 0.4}) want.push_back(36 * x * x * x);
  expect_near(second(false), want);
  expect_near(second(true), want);
}

// What a formula reads is remembered by the layout of operands, too.
TEST(Rules, what_is_saved_follows_the_layout) {
  const auto of_inverse = [] {
    Tensor pairs = Tensor::from({2.0, 0.0, 0.5, 0.5, 0.5, -0.5, 3.0, 0.0}, {2, 2, 2});
    Tensor x = clone(Tensor::of_pairs(pairs)).set_requires_grad(true);
    sum(real(cholesky_inverse(x))).backward();
    return numbers(x.grad().pairs());
  };
  const Numbers before = of_inverse();
  Tensor a =
      clone(Tensor::of_pairs(Tensor::from({2.0, 0.0, 0.5, 0.5, 0.5, -0.5, 3.0, 0.0}, {2, 2, 2})))
          .set_requires_grad(true);
  const Tensor g = grad(sum(real(linalg_cholesky(a))), {a}, {.create_graph = true})[0];
  (void)grad(sum(real(g * g)), {a});
  EXPECT_EQ(of_inverse(), before);
}

TEST(Rules, a_hook_gives_a_gradient_of_the_same_kind) {
  for (const bool is_leaf : {true, false}) {
    Tensor a = leaf({1, 2});
    const Tensor y = is_leaf ? a : a * 1.0;
    const HookHandle wrong = register_hook(y, [](const Tensor&) { return zeros({5}, DType::f64); });
    EXPECT_EQ(error_of([&] { sum(y * 1.0).backward(); }),
              "backward: a hook gave f64[5] for a gradient of f64[2]");
    wrong.remove();
    register_hook(y, [](const Tensor& g) { return to(g, DType::f32); });
    EXPECT_EQ(error_of([&] { sum(y * 1.0).backward(); }),
              "backward: a hook gave f32[2] for a gradient of f64[2]");
  }
}

TEST(Rules, seeds_are_of_the_kind_of_the_output) {
  Tensor a = leaf({1}), z = clone(Tensor::of_pairs(Tensor::from({1.0, 2.0}, {1, 2})));
  z.set_requires_grad(true);
  EXPECT_EQ(error_of([&] { (a * 1.0).backward(z); }),
            "backward: the output is f64, its gradient is complex, c128");
  EXPECT_EQ(error_of([&] { (z * z).backward(); }),
            "backward: the output is complex; pass its gradient, or take a real number of it (abs, "
            "real)");
  EXPECT_EQ(error_of([&] { a.set_grad(a); }), "set_grad: a tensor cannot be its own gradient");
}

TEST(Rules, set_grad_in_a_compiled_function_takes_any_size) {
  Tensor p;
  auto f = compile([&](const Tensor& x) {
    p.set_grad(x * 2.0);
    sum(p * p).backward();
    return p.grad() * 1.0;
  });
  for (const int64_t n : {3, 4, 5, 6}) {
    p = ones({n}, DType::f64).set_requires_grad(true);
    EXPECT_EQ(numbers(f(ones({n}, DType::f64))), Numbers(static_cast<size_t>(n), 4.0));
  }
}

TEST(Rules, sizes_that_depend_on_data_are_those_of_the_call) {
  using Function = std::function<Tensor(const Tensor&)>;
  const Function functions[] = {
      [](const Tensor& x) { return mean(masked_select(x, x > 0.5)); },
      [](const Tensor& x) {
        const Tensor m = masked_select(x, x > 0.5);
        return sum((m - mean(m)) * exp(m)) + mse_loss(m, m * m);
      },
      [](const Tensor& x) {
        const Tensor m = masked_select(x, x > 0.5);
        return sum(square(cat(std::vector<Tensor>{m, x * x, m * m}, 0)));
      },
      [](const Tensor& x) {
        const Tensor m = masked_select(x, x > 0.5);
        return sum(log_softmax(m, 0) * m);
      },
      [](const Tensor& x) { return mean(index_select(x * x, 0, squeeze(nonzero(x > 0.5), 1))); },
      [](const Tensor& x) {
        const Size n = masked_select(x, x > 0.5).size(0);
        return sum(square(expand(unsqueeze(x, 0), {n, 4})));
      },
      [](const Tensor& x) {  // the attention is a view, sized after the size is known
        const Tensor m = unsqueeze(masked_select(x, x > 0.5), 1);
        const Tensor y = scaled_dot_product_attention(m, m, m);
        return sum(ops::call("selu_", {}, {{"self", y}})[0]);
      }};
  for (const Function& f : functions) {
    auto fast = compile(f);
    for (const Numbers& values :
         {Numbers{0.3, 0.6, 0, 1}, Numbers{0.9, 0.6, 0.7, 1}, Numbers{0.1, 0.2, 0.3, 0.8}}) {
      Tensor a = leaf(values), b = leaf(values);
      f(a).backward();
      fast(b).backward();
      expect_near(b.grad(), numbers(a.grad()));
    }
  }
}

// Three equal numbers: one of them is left, which may be written to nothing.
TEST(Rules, sizes_that_depend_on_data_decide_where_they_are_known) {
  auto f = compile([](const Tensor& x) {
    const Tensor one = ops::call("_unique2", {}, {{"self", x * 0.0}})[0];
    return sum(copy_(zeros({0}, DType::f64), one)) + sum(x * x);
  });
  Tensor a = leaf({0.6, 0.7, 0.8});
  f(a).backward();
  expect_near(a.grad(), {1.2, 1.4, 1.6});
}

// The bound of the size, 4, does not fit the three elements.
TEST(Rules, a_size_by_data_does_not_make_a_gradient_need_what_was_written) {
  const auto f = [](const Tensor& x) {
    const Tensor y = narrow(x * 1.0, 0, 1, 3);
    const Tensor index = squeeze(nonzero(x > 0.85), 1);
    return ops::call("addcmul_", {}, {{"self", y}, {"tensor1", y}, {"tensor2", index}})[0];
  };
  auto fast = compile(f);
  const Numbers values = {0.6, 0.7, 0.8, 0.9};
  Tensor a = leaf(values), b = leaf(values);
  sum(f(a)).backward();
  sum(fast(b)).backward();
  expect_near(b.grad(), numbers(a.grad()));
}

TEST(Rules, a_size_by_data_that_is_only_a_factor_is_an_error_outside) {
  auto f = compile([](const Tensor& x) { return sum(x * masked_select(x, x > 0.5).size(0)); });
  Tensor a = leaf({0.6, 0.7});
  const Tensor loss = f(a);
  EXPECT_NE(error_of([&] { loss.backward(); }).find("call backward() in the function"),
            std::string::npos);
}

}  // namespace
}  // namespace vitro
