// The scope of an Autocast: what it casts, gradients through casts, compiled functions in scopes
// and scopes in compiled functions.  tests/eager/autocast_test.cpp has the dtypes of every op.
#include "vitro/core/autocast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/autograd/checkpoint.h"
#include "vitro/compile/compile.h"
#include "vitro/nn/layers.h"
#include "vitro/ops/all.h"
#include "vitro/ops/complex.h"
#include "vitro/ops/convolution.h"
#include "vitro/ops/linear_algebra.h"
#include "vitro/ops/loss.h"
#include "vitro/ops/overload.h"

namespace vitro {
namespace {

using Numbers = std::vector<float>;

Tensor numbers(const std::vector<int64_t>& sizes, float scale = 0.37F) {
  int64_t count = 1;
  Sizes all;
  for (const int64_t size : sizes) {
    count *= size;
    all.push_back(size);
  }
  return reshape(sin(to(arange(count), DType::f32) * 1.3F) * scale, all);
}
Numbers elements(const Tensor& t) {
  return to(contiguous(detach(t)), DType::f32).to_vector<float>();
}
void expect_same_bits(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.dtype(), b.dtype());
  const Tensor x = contiguous(detach(a)), y = contiguous(detach(b));
  ASSERT_EQ(x.numel().value(), y.numel().value());
  const auto bytes = static_cast<size_t>(x.numel().value() * bytes_of(x.dtype()));
  EXPECT_EQ(std::memcmp(x.const_data(), y.const_data(), bytes), 0);
}
bool is_bf16(float x) {
  return elements(to(full({1}, x, DType::f32), DType::bf16))[0] == x;
}

// Counts the casts that go through the stack.
class CountCasts : public Interpreter {
 public:
  void call(const OpCall& call, std::span<Tensor> results) override {
    if (call.op->name == "_to_copy") ++count;
    call_below(call, results);
  }
  int count = 0;
};

// ---- scopes

TEST(Autocast, casts_in_its_scope) {
  const Tensor x = numbers({3, 4}), w = numbers({4, 5});
  EXPECT_FALSE(is_autocast_enabled());
  EXPECT_EQ(get_autocast_dtype(), DType::bf16);
  {
    const Autocast on(DType::f16);
    EXPECT_TRUE(is_autocast_enabled());
    EXPECT_EQ(get_autocast_dtype(), DType::f16);
    EXPECT_EQ(matmul(x, w).dtype(), DType::f16);
    EXPECT_EQ(exp(x).dtype(), DType::f32);
    EXPECT_EQ(mse_loss(to(x, DType::f16), x).dtype(), DType::f32);
    {
      const Autocast inner;
      EXPECT_EQ(matmul(x, w).dtype(), DType::bf16);
      const Autocast off(DType::bf16, false);
      EXPECT_FALSE(is_autocast_enabled());
      EXPECT_EQ(matmul(x, w).dtype(), DType::f32);
      const Autocast on_again;
      EXPECT_EQ(matmul(x, w).dtype(), DType::bf16);
    }
    EXPECT_EQ(matmul(x, w).dtype(), DType::f16);
  }
  EXPECT_EQ(matmul(x, w).dtype(), DType::f32);
  EXPECT_EQ(get_autocast_dtype(), DType::bf16);
}

TEST(Autocast, leaves_other_dtypes_and_calls_in_place) {
  const Autocast on;
  const Tensor x = numbers({3, 3}), wide = to(x, DType::f64), whole = to(x * 9, DType::i32);
  EXPECT_EQ(matmul(wide, wide).dtype(), DType::f64);
  EXPECT_EQ(matmul(whole, whole).dtype(), DType::i32);
  const Tensor z = complex(x, x);
  EXPECT_EQ(matmul(z, z).dtype(), DType::c64);
  EXPECT_EQ(elements(real(matmul(z, z))).size(), 9U);
  EXPECT_EQ(mv(x, select(x, 0, 0)).dtype(), DType::f32);  // as in PyTorch
  const Tensor sum_of = clone(x);
  (void)add_(sum_of, x);
  EXPECT_EQ(sum_of.dtype(), DType::f32);
  const Tensor product = zeros({3, 3});
  (void)ops::call("addmm_", {product, x, x});
  const WithoutAutocast off;
  expect_same_bits(product, mm(x, x));
}

TEST(Autocast, takes_two_dtypes) {
  EXPECT_EQ(error_of([] { const Autocast on(DType::f32); }),
            "Autocast: dtype must be bf16 or f16, got f32");
  EXPECT_FALSE(is_autocast_enabled());
}

TEST(Autocast, is_of_its_thread) {
  const Tensor x = numbers({3, 3});
  const Autocast on;
  DType there{};
  std::thread([&] { there = matmul(x, x).dtype(); }).join();
  EXPECT_EQ(there, DType::f32);
  EXPECT_EQ(matmul(x, x).dtype(), DType::bf16);
}

TEST(Autocast, ends_with_an_exception) {
  const Tensor x = numbers({3, 4});
  EXPECT_NE(error_of([&] {
              const Autocast on;
              (void)matmul(x, x);
            }).find("matmul: inner sizes differ"),
            std::string::npos);
  EXPECT_FALSE(is_autocast_enabled());
  EXPECT_EQ(mm(x, numbers({4, 2})).dtype(), DType::f32);
}

// ---- gradients

struct Weights {
  Tensor w = Tensor::from<float>({1.003F, -2.01F, 0.37F, 0.123F, 4.567F, -1.11F}, {2, 3})
                 .set_requires_grad(true);
  Tensor b = Tensor::from<float>({0.501F, -0.303F}, {2}).set_requires_grad(true);
  Tensor x =
      Tensor::from<float>({0.1F, 0.2F, 0.3F, 1.1F, -1.7F, 2.9F}, {2, 3}).set_requires_grad(true);
  // Uses the parameters twice.
  Tensor loss() const {
    const Tensor h = linear(x, w, b);
    const Tensor y = linear(constant_pad_nd(tanh(h), {0, 1}, 0.7), w, b);
    return mse_loss(y, Tensor::from<float>({0.5F, -0.5F, 1, 2}, {2, 2}));
  }
};

void expect_near(const Tensor& got, const Numbers& want, float relative) {
  const Numbers have = elements(got);
  ASSERT_EQ(have.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(have[i], want[i], relative * std::abs(want[i]) + 1e-6F) << i;
}

// Expected: torch 2.13.
TEST(Autocast, gradients_are_those_of_torch) {
  struct Expected {
    DType dtype;
    float loss;
    Numbers w, b, x;
    float relative;  // two units of the dtype in the last place
  };
  for (const Expected& one :
       {Expected{DType::bf16,
                 16.25115203857422F,
                 {1.390625F, -1.3828125F, 0.98046875F, -3.5F, 4.1875F, -1.90625F},
                 {1.421875F, -1.8203125F},
                 {0.2294921875F, 7.09375F, -1.7265625F, 0, 0, 0},
                 1.0F / 64},
        Expected{
            DType::f16,
            16.211139678955078F,
            {1.3896484375F, -1.3798828125F, 0.9814453125F, -3.494140625F, 4.1796875F, -1.90625F},
            {1.4248046875F, -1.8271484375F},
            {0.232177734375F, 7.05859375F, -1.7216796875F, 0, 0, 0},
            1.0F / 512}}) {
    Weights weights;
    Tensor loss;
    {
      const Autocast on(one.dtype);
      loss = weights.loss();
    }
    EXPECT_EQ(loss.dtype(), DType::f32);
    EXPECT_NEAR(loss.item<float>(), one.loss, 1e-3F * one.loss);
    loss.backward();
    EXPECT_EQ(weights.w.grad().dtype(), DType::f32);
    expect_near(weights.w.grad(), one.w, one.relative);
    expect_near(weights.b.grad(), one.b, one.relative);
    expect_near(weights.x.grad(), one.x, one.relative);
  }
}

TEST(Autocast, what_is_written_through_data_is_cast) {
  Tensor w = ones({2, 2});
  const Tensor x = ones({2, 2});
  w.set_requires_grad(true);
  const Autocast on(DType::bf16);
  (void)mm(x, w);
  w.data<float>()[0] = 100;
  const Tensor got = detach(to(mm(x, w), DType::f32));
  EXPECT_EQ(got.data<float>()[0], 101);
}

TEST(Autocast, casts_a_parameter_once) {
  for (const bool cached : {true, false}) {
    Weights weights;
    CountCasts casts;
    {
      const Using counting(&casts);
      const Autocast on(DType::bf16, true, cached);
      EXPECT_EQ(is_autocast_cache_enabled(), cached);
      weights.loss().backward();
    }
    // Its gradient is the sum of two in bf16, or in f32.
    for (const float g :
         elements(weights.b.grad()).at(0) != 0 ? elements(weights.w.grad()) : Numbers())
      EXPECT_TRUE(!cached || is_bf16(g)) << g;
    EXPECT_EQ(is_bf16(elements(weights.w.grad())[0]), cached);
    EXPECT_GT(casts.count, 0);
  }
}

TEST(Autocast, casts_a_parameter_again_that_was_written) {
  Tensor w = numbers({2, 2}).set_requires_grad(true);
  const Tensor x = Tensor::from<float>({1, 0, 0, 1}, {2, 2});
  const Autocast on;
  (void)matmul(x, w);
  {
    const NoGrad unrecorded;
    (void)fill_(w, 3);
    EXPECT_EQ(elements(matmul(x, w)), (Numbers{3, 3, 3, 3}));
  }
  const Tensor y = matmul(x, w);  // not the cast that was not recorded
  EXPECT_TRUE(y.requires_grad());
  EXPECT_EQ(elements(y), (Numbers{3, 3, 3, 3}));
}

TEST(Autocast, does_not_change_gradients_that_are_computed_in_it) {
  Tensor w = numbers({3, 3}).set_requires_grad(true);
  const Tensor x = numbers({3, 3}, 0.9F), loss = sum(square(matmul(x, w)));
  backward(loss, {}, {.retain_graph = true});
  const Tensor want = w.grad();
  w.set_grad({});
  const Autocast on;
  loss.backward();
  expect_same_bits(w.grad(), want);
}

TEST(Autocast, is_that_of_a_checkpoint_when_it_is_computed_again) {
  const auto gradients = [](bool again) {
    Weights weights;
    const auto block = [&](const Tensor& x) { return tanh(linear(x, weights.w, weights.b)); };
    Tensor loss;
    {
      const Autocast on;
      const Tensor y = again ? checkpoint(block, weights.x) : block(weights.x);
      loss = sum(square(to(y, DType::f32)));
    }
    return grad(loss, {weights.w, weights.x});
  };
  const std::vector<Tensor> want = gradients(false), got = gradients(true);
  for (size_t i = 0; i < want.size(); ++i) expect_same_bits(got[i], want[i]);
}

// ---- compiled functions

struct Net : nn::Module {
  nn::Conv2d conv{*this, "conv", 2, 4, 3, {.padding = 1}};
  nn::LayerNorm norm{*this, "norm", 4};
  nn::Linear out{*this, "out", 4, 3};
  Tensor operator()(const Tensor& x) const {
    const Tensor h = mean(relu(conv(x)), {2, 3});
    return out(norm(h));
  }
};

TEST(Autocast, compiled_in_a_scope_has_the_bits_of_eager) {
  Net net;
  const Tensor x = numbers({2, 2, 5, 5});
  const NoGrad unrecorded;
  for (const DType dtype : {DType::bf16, DType::f16}) {
    auto f = compile([&](const Tensor& in) { return softmax(net(in), 1); });
    const Autocast on(dtype);
    const Tensor want = softmax(net(x), 1);
    EXPECT_EQ(net(x).dtype(), dtype);
    for (int i = 0; i < 2; ++i) expect_same_bits(f(x), want);
    EXPECT_TRUE(f.report().fallbacks.empty());
    EXPECT_EQ(f.report().segments.size(), 1U);
  }
}

TEST(Autocast, in_a_compiled_step_has_the_bits_of_eager) {
  for (const bool around : {false, true}) {
    Weights eager, fast;
    const auto step = [&](const Weights& weights) {
      Tensor loss;
      {
        std::optional<Autocast> on;
        if (!around) on.emplace();
        loss = weights.loss();
      }
      loss.backward();
      return detach(loss);
    };
    auto compiled = compile([&](int) { return step(fast); });
    for (int i = 0; i < 3; ++i) {
      std::optional<Autocast> on;
      if (around) on.emplace();
      expect_same_bits(compiled(0), step(eager));
      for (const auto& [a, b] : {std::pair(&eager.w, &fast.w), {&eager.b, &fast.b}}) {
        expect_same_bits(a->grad(), b->grad());
        a->set_grad({});
        b->set_grad({});
      }
      eager.x.set_grad({});
      fast.x.set_grad({});
    }
    const CompiledReport report = compiled.report();
    EXPECT_TRUE(report.breaks.empty());
    EXPECT_TRUE(report.recompiles.empty()) << report.recompiles[0].reason;
  }
}

TEST(Autocast, gradients_after_a_compiled_call_have_the_bits_of_eager) {
  Weights eager, fast;
  auto f = compile([&](int) { return fast.loss(); });
  for (int i = 0; i < 2; ++i) {
    Tensor want, got;
    {
      const Autocast on;
      want = eager.loss();
      got = f(0);
    }
    want.backward();
    got.backward();
    expect_same_bits(got, want);
    expect_same_bits(fast.w.grad(), eager.w.grad());
    expect_same_bits(fast.x.grad(), eager.x.grad());
  }
}

TEST(Autocast, another_scope_is_another_path) {
  const Tensor x = numbers({3, 3});
  auto f = compile([](const Tensor& in) { return matmul(in, in) + 1; });
  const auto in_scope = [&](std::optional<DType> dtype) {
    std::optional<Autocast> on;
    if (dtype) on.emplace(*dtype);
    return f(x).dtype();
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(in_scope({}), DType::f32);
    EXPECT_EQ(in_scope(DType::bf16), DType::bf16);
    EXPECT_EQ(in_scope(DType::f16), DType::f16);
  }
  const CompiledReport report = f.report();
  EXPECT_EQ(report.segments.size(), 3U);
  ASSERT_EQ(report.recompiles.size(), 2U);
  EXPECT_EQ(report.recompiles[0].reason, "expected matmul, got _to_copy");
  EXPECT_EQ(report.recompiles[1].reason, "_to_copy: expected dtype=bf16, got dtype=f16");
}

TEST(Autocast, is_a_guard_of_a_frozen_call) {
  int runs = 0;
  auto f = compile(
      [&](const Tensor& in) {
        ++runs;
        return matmul(in, in);
      },
      {.fullgraph = true, .frozen = true});
  const Tensor x = numbers({3, 3});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(f(x).dtype(), DType::f32);
    for (const DType dtype : {DType::bf16, DType::f16}) {
      const Autocast on(dtype);
      EXPECT_EQ(f(x).dtype(), dtype);
    }
  }
  EXPECT_EQ(runs, 3);
}

// A segment that ends in a scope is compiled as it was recorded.
TEST(Autocast, does_not_change_what_was_called_before_it) {
  auto f = compile([](const Tensor& in) {
    const Tensor y = linear(in, in);
    const Autocast on;
    const bool is_large = sum(y).item<float>() > 1e6F;
    return is_large ? y : matmul(y, in);
  });
  const Tensor x = numbers({3, 3});
  const Tensor y = linear(x, x);
  for (int i = 0; i < 2; ++i)
    expect_same_bits(f(x), matmul(to(y, DType::bf16), to(x, DType::bf16)));
  EXPECT_EQ(f.report().breaks.size(), 1U);
}

TEST(Autocast, interpreters_see_the_casts) {
  const Tensor x = numbers({3, 3});
  CountCasts casts;
  const Using counting(&casts);
  const Autocast on;
  (void)matmul(x, numbers({3, 3}));
  EXPECT_EQ(casts.count, 3);  // of the operands, and of arange
}

TEST(Autocast, casts_of_a_call_are_not_kept_for_others) {
  Tensor w = numbers({3, 3}).set_requires_grad(true);
  auto f = compile([&](const Tensor& in) { return matmul(in, w); });
  const Autocast on;
  const Tensor x = numbers({2, 3}), want = matmul(x, w);
  for (int i = 0; i < 3; ++i) expect_same_bits(f(x), want);
  EXPECT_TRUE(f.report().recompiles.empty());
  sum(to(f(x), DType::f32)).backward();
  const Tensor got = w.grad();
  w.set_grad({});
  sum(to(want, DType::f32)).backward();
  expect_same_bits(got, w.grad());
}

}  // namespace
}  // namespace vitro
