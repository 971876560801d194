// The scaler of losses against torch's (scaler_reference.py), eager and compiled.
#include "vitro/optim/grad_scaler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/core/autocast.h"
#include "vitro/core/generator.h"
#include "vitro/io/npy.h"
#include "vitro/nn/clip.h"
#include "vitro/nn/layers.h"
#include "vitro/ops/all.h"
#include "vitro/ops/loss.h"
#include "vitro/optim/optim.h"

namespace vitro::optim {
namespace {

constexpr int steps = 100;
constexpr double inf = std::numeric_limits<double>::infinity();

bool overflows(int step) {
  static const std::set<int> all{0, 7, 8, 40, 99};
  return all.contains(step);
}

const std::map<std::string, Tensor>& reference() {
  static const auto* all = [] {
    auto* out = new std::map<std::string, Tensor>;
    const auto arrays = io::read_npz(VITRO_TEST_DATA "/grad_scaler.npz");
    for (const io::NamedTensor& one : *arrays) out->emplace(one.name, one.tensor);
    return out;
  }();
  return *all;
}

std::vector<double> numbers(const Tensor& t) {
  return to(contiguous(detach(t)), DType::f64).to_vector<double>();
}

struct Problem {
  Tensor a = Tensor::from({0.3, -1.2, 2.0, 0.7, 1.5, -0.4}, {2, 3}).set_requires_grad(true);
  Tensor b = Tensor::from({1.0, -2.0}, {2}).set_requires_grad(true);
  Parameters parameters() { return {&a, &b}; }
  Tensor loss() const {
    const Tensor d = b - 0.5;
    return sum(cos(a) + a * a * a * a * 0.1) + sum(d * d) * sum(abs(detach(a))) * 0.1 +
           square(sum(a) * mean(b));
  }
};

// One step, as in the script; `factor` is infinite where it overflows.
void train(const Problem& problem, Optimizer& optimizer, GradScaler& scaler, const Tensor& factor,
           bool unscales) {
  optimizer.zero_grad();
  scaler.scale(problem.loss() * factor).backward();
  if (unscales) scaler.unscale_(optimizer);
  scaler.step(optimizer);
  scaler.update();
  optimizer.zero_grad();
}

Tensor factor_of(int step) {
  return full({}, overflows(step) ? inf : 1.0, DType::f64);
}

void expect_as(const std::string& name, const Problem& problem) {
  for (const auto& [part, tensor] : {std::pair("a", &problem.a), std::pair("b", &problem.b)}) {
    const std::vector<double> want = numbers(reference().at(name + "." + part)),
                              got = numbers(*tensor);
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got[i], want[i], 1e-6 * std::abs(want[i]) + 1e-12) << name << '.' << part << i;
  }
}

using Make = std::function<std::unique_ptr<Optimizer>(const Parameters&)>;
template <class O, class Options>
Make make(Options options) {
  return [options](const Parameters& p) { return std::make_unique<O>(p, options); };
}
const std::map<std::string, Make>& optimizers() {
  static const auto* all = new std::map<std::string, Make>{
      {"sgd", make<SGD>(SGDOptions{.lr = 0.01, .momentum = 0.9, .dampening = 0.1})},
      {"adam", make<Adam>(AdamOptions{.lr = 0.02, .amsgrad = true})},
      {"adamw", make<AdamW>(AdamWOptions{.lr = 0.02, .weight_decay = 0.2})},
      {"radam", make<RAdam>(RAdamOptions{.lr = 0.02})},
      {"adagrad", make<Adagrad>(AdagradOptions{.lr = 0.05, .lr_decay = 0.01})},
  };
  return *all;
}

TEST(GradScaler, skips_the_steps_that_torch_skips) {
  for (const auto& [name, make] : optimizers()) {
    Problem problem;
    const auto optimizer = make(problem.parameters());
    GradScaler scaler({.growth_interval = 10});
    for (int i = 0; i < steps; ++i) train(problem, *optimizer, scaler, factor_of(i), i % 2 != 0);
    expect_as(name, problem);
  }
}

TEST(GradScaler, is_part_of_a_compiled_step) {
  for (const auto& [name, make] : optimizers()) {
    Problem problem, eager;
    const auto optimizer = make(problem.parameters()), of_eager = make(eager.parameters());
    GradScaler scaler({.growth_interval = 10}), scaler_of_eager({.growth_interval = 10});
    auto step = compile([&](const Tensor& factor) {
      train(problem, *optimizer, scaler, factor, false);
      return factor + 0;
    });
    for (int i = 0; i < steps; ++i) {
      (void)step(factor_of(i));
      train(eager, *of_eager, scaler_of_eager, factor_of(i), false);
      EXPECT_EQ(scaler.get_scale(), scaler_of_eager.get_scale()) << i;
    }
    expect_as(name, problem);
    for (const auto& [what, number] : optimizer->named_numbers()) {
      for (const auto& [same, of_it] : of_eager->named_numbers())
        if (same == what) EXPECT_EQ(*number, *of_it) << name << ' ' << what;
    }
    const CompiledReport report = step.report();
    EXPECT_TRUE(report.breaks.empty()) << name << ": " << report.breaks[0].reason;
    EXPECT_TRUE(report.fallbacks.empty()) << name << ": " << report.fallbacks[0].reason;
    EXPECT_LE(report.segments.size(), 4U) << name;
  }
}

TEST(GradScaler, scales_are_those_of_torch_to_the_bit) {
  const std::map<std::string, GradScalerOptions> all{
      {"usual", {.growth_interval = 10}},
      {"odd",
       {.init_scale = 1000, .growth_factor = 1.37, .backoff_factor = 0.61, .growth_interval = 3}},
      {"large", {.init_scale = std::ldexp(1.0, 126), .growth_interval = 2}},
  };
  for (const auto& [name, options] : all) {
    for (const bool compiled : {false, true}) {
      Problem problem;
      SGD optimizer(problem.parameters(), {.lr = 0});
      GradScaler scaler(options);
      std::function<Tensor(const Tensor&)> step = [&](const Tensor& factor) {
        train(problem, optimizer, scaler, factor, false);
        return factor + 0;
      };
      if (compiled) step = compile(step);
      const std::vector<double> scales = numbers(reference().at(name + ".scale")),
                                counts = numbers(reference().at(name + ".growth_tracker"));
      for (int i = 0; i < steps; ++i) {
        (void)step(factor_of(i));
        EXPECT_EQ(scaler.get_scale(), scales[i]) << name << ' ' << i;
        EXPECT_EQ(static_cast<double>(scaler.state_dict().growth_tracker), counts[i])
            << name << ' ' << i;
      }
    }
  }
}

TEST(GradScaler, goes_on_from_a_saved_state) {
  Problem problem;
  SGD optimizer(problem.parameters(), {.lr = 0});
  GradScaler scaler({.growth_interval = 10}), other({.init_scale = 3, .growth_interval = 7});
  for (int i = 0; i < 30; ++i) train(problem, optimizer, scaler, factor_of(i), false);
  other.load_state_dict(scaler.state_dict());
  EXPECT_EQ(other.options().growth_interval, 10);
  for (int i = 30; i < 60; ++i) {
    train(problem, optimizer, scaler, factor_of(i), false);
    train(problem, optimizer, other, factor_of(i), false);
    EXPECT_EQ(other.get_scale(), scaler.get_scale());
    EXPECT_EQ(other.state_dict().growth_tracker, scaler.state_dict().growth_tracker);
  }
}

TEST(GradScaler, unscales_before_gradients_are_clipped) {
  Problem problem;
  SGD optimizer(problem.parameters(), {.lr = 0.1});
  GradScaler scaler;
  problem.loss().backward();
  const std::vector<double> want = numbers(problem.a.grad());
  optimizer.zero_grad();
  scaler.scale(problem.loss()).backward();
  EXPECT_NEAR(numbers(problem.a.grad())[0], want[0] * 65536, 1e-6 * std::abs(want[0] * 65536));
  scaler.unscale_(optimizer);
  EXPECT_EQ(numbers(problem.a.grad()), want);
  (void)nn::clip_grad_norm_(optimizer.parameters(), 1.0);
  const double clipped = numbers(problem.a.grad())[0], before = numbers(problem.a)[0];
  scaler.step(optimizer);
  scaler.update();
  EXPECT_NEAR(numbers(problem.a)[0], before - 0.1 * clipped, 1e-15);
}

TEST(GradScaler, of_several_optimizers_any_may_overflow) {
  Problem problem;
  SGD of_a({&problem.a}, {.lr = 0.1}), of_b({&problem.b}, {.lr = 0.1});
  GradScaler scaler;
  (void)scaler.scale(problem.loss());
  problem.a.set_grad(zeros_like(detach(problem.a)) + 1.0);
  problem.b.set_grad(zeros_like(detach(problem.b)) + inf);
  const std::vector<double> a = numbers(problem.a), b = numbers(problem.b);
  scaler.step(of_a);
  scaler.step(of_b);
  scaler.update();
  EXPECT_NE(numbers(problem.a), a);
  EXPECT_EQ(numbers(problem.b), b);
  EXPECT_EQ(scaler.get_scale(), 32768);
}

TEST(GradScaler, that_is_not_enabled_leaves_everything) {
  Problem problem;
  SGD optimizer(problem.parameters(), {.lr = 0.1});
  GradScaler scaler({.enabled = false});
  const Tensor loss = problem.loss();
  EXPECT_TRUE(scaler.scale(loss).same_as(loss));
  loss.backward();
  const double before = numbers(problem.a)[0], gradient = numbers(problem.a.grad())[0];
  scaler.unscale_(optimizer);
  scaler.step(optimizer);
  scaler.update();
  EXPECT_NEAR(numbers(problem.a)[0], before - 0.1 * gradient, 1e-15);
  EXPECT_EQ(scaler.get_scale(), 1);
}

TEST(GradScaler, refuses_calls_out_of_order) {
  Problem problem;
  SGD optimizer(problem.parameters(), {.lr = 0.1});
  GradScaler scaler;
  EXPECT_EQ(error_of([&] { scaler.update(); }),
            "GradScaler::update: no step() since the last update()");
  problem.loss().backward();
  EXPECT_EQ(error_of([&] { scaler.step(optimizer); }),
            "GradScaler::unscale_: no loss was scaled; call scaler.scale(loss).backward() in place "
            "of loss.backward()");
  optimizer.zero_grad();
  const Tensor scaled = scaler.scale(problem.loss());
  EXPECT_EQ(error_of([&] { scaler.step(optimizer); }),
            "GradScaler::unscale_: no parameter has a gradient");
  scaled.backward();
  scaler.unscale_(optimizer);
  EXPECT_EQ(error_of([&] { scaler.unscale_(optimizer); }),
            "GradScaler::unscale_: already called for this optimizer since the last update()");
  scaler.step(optimizer);
  EXPECT_EQ(error_of([&] { scaler.unscale_(optimizer); }),
            "GradScaler::unscale_: called after step()");
  EXPECT_EQ(error_of([&] { scaler.step(optimizer); }),
            "GradScaler::step: already called for this optimizer since the last update()");
  scaler.update(128);
  EXPECT_EQ(scaler.get_scale(), 128);
  EXPECT_NE(error_of([] { GradScaler one({.growth_factor = 1}); }).find("growth_factor"),
            std::string::npos);
  Tensor half = zeros({2}, DType::f16).set_requires_grad(true);
  half.set_grad(zeros({2}, DType::f16));
  SGD of_half({&half}, {.lr = 0.1});
  EXPECT_NE(error_of([&] { scaler.step(of_half); }).find("a gradient is f16"), std::string::npos);
}

struct Net : nn::Module {
  nn::Linear in{*this, "in", 4, 16}, out{*this, "out", 16, 3};
  Tensor operator()(const Tensor& x) const { return out(gelu(in(x))); }
};

// Classes that a line separates.
std::pair<Tensor, Tensor> points(int64_t count) {
  const Tensor x = reshape(sin(to(arange(count * 4), DType::f32) * 1.7F), {count, 4});
  return {x, argmax(slice(x, 1, 0, 3), 1)};
}

// Master weights stay f32; what is compiled has the bits of eager.
TEST(GradScaler, a_network_learns_in_mixed_precision) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    manual_seed(3);
    Net eager;
    manual_seed(3);
    Net fast;
    for (Net* net : {&eager, &fast}) net->requires_grad_();
    AdamW of_eager(eager.parameters(), {.lr = 0.02}), of_fast(fast.parameters(), {.lr = 0.02});
    GradScaler scaler_of_eager, scaler_of_fast;
    const auto [x, y] = points(64);
    const auto step = [&](const Net& net, AdamW& optimizer, GradScaler& scaler, const Tensor& in,
                          const Tensor& classes) {
      optimizer.zero_grad();
      Tensor loss;
      {
        const Autocast on(dtype);
        const Tensor logits = net(in);
        EXPECT_EQ(logits.dtype(), dtype);
        loss = cross_entropy_loss(logits, classes);
      }
      EXPECT_EQ(loss.dtype(), DType::f32);
      scaler.scale(loss).backward();
      scaler.step(optimizer);
      scaler.update();
      optimizer.zero_grad();
      return detach(loss);
    };
    auto compiled = compile([&](const Tensor& in, const Tensor& classes) {
      return step(fast, of_fast, scaler_of_fast, in, classes);
    });
    float first = 0, last = 0;
    for (int i = 0; i < 60; ++i) {
      const auto want = step(eager, of_eager, scaler_of_eager, x, y).item<float>(),
                 got = compiled(x, y).item<float>();
      EXPECT_NEAR(got, want, 2e-2F * want + 1e-4F) << i;
      if (i == 0) first = want;
      last = want;
    }
    EXPECT_LT(last, first / 4);
    EXPECT_EQ(fast.in.weight.dtype(), DType::f32);
    const CompiledReport report = compiled.report();
    EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks[0].reason;
    EXPECT_TRUE(report.breaks.empty()) << report.breaks[0].reason;
  }
}

}  // namespace
}  // namespace vitro::optim
