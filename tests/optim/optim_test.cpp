// Optimizers and schedules against torch's (reference.py), eager and compiled.
#include "vitro/optim/optim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "error_of.h"
#include "vitro/autograd/autograd.h"
#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/io/npy.h"
#include "vitro/nn/clip.h"
#include "vitro/nn/layers.h"
#include "vitro/ops/all.h"
#include "vitro/ops/loss.h"
#include "vitro/optim/lbfgs.h"
#include "vitro/optim/schedule.h"

namespace vitro::optim {
namespace {

constexpr int steps = 100;

const std::map<std::string, Tensor>& reference() {
  static const auto* all = [] {
    auto* out = new std::map<std::string, Tensor>;
    const auto arrays = io::read_npz(VITRO_TEST_DATA "/optim.npz");
    for (const io::NamedTensor& one : *arrays) out->emplace(one.name, one.tensor);
    return out;
  }();
  return *all;
}

std::vector<double> numbers(const Tensor& t) {
  return contiguous(detach(t)).to_vector<double>();
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
      {"sgd", make<SGD>(SGDOptions{.lr = 0.01})},
      {"sgd_momentum",
       make<SGD>(SGDOptions{.lr = 0.01, .momentum = 0.9, .dampening = 0.1, .weight_decay = 0.05})},
      {"sgd_nesterov", make<SGD>(SGDOptions{.lr = 0.01, .momentum = 0.8, .nesterov = true})},
      {"sgd_maximize", make<SGD>(SGDOptions{.lr = 1e-5, .maximize = true})},
      {"adam", make<Adam>(AdamOptions{.lr = 0.02})},
      {"adam_amsgrad",
       make<Adam>(AdamOptions{
           .lr = 0.02, .beta1 = 0.8, .beta2 = 0.95, .weight_decay = 0.1, .amsgrad = true})},
      {"adamw", make<AdamW>(AdamWOptions{.lr = 0.02, .weight_decay = 0.2})},
      {"rmsprop", make<RMSprop>(RMSpropOptions{.lr = 0.01})},
      {"rmsprop_centered",
       make<RMSprop>(RMSpropOptions{
           .lr = 0.01, .alpha = 0.9, .weight_decay = 0.1, .momentum = 0.7, .centered = true})},
      {"adagrad",
       make<Adagrad>(AdagradOptions{
           .lr = 0.05, .lr_decay = 0.01, .weight_decay = 0.1, .initial_accumulator_value = 0.1})},
      {"adadelta", make<Adadelta>(AdadeltaOptions{.lr = 0.5, .weight_decay = 0.1})},
      {"adamax", make<Adamax>(AdamaxOptions{.lr = 0.02, .weight_decay = 0.1})},
      {"nadam", make<NAdam>(NAdamOptions{.lr = 0.02, .weight_decay = 0.1})},
      {"nadam_decoupled",
       make<NAdam>(NAdamOptions{.lr = 0.02, .weight_decay = 0.1, .decoupled_weight_decay = true})},
      {"radam", make<RAdam>(RAdamOptions{.lr = 0.02, .weight_decay = 0.1})},
      {"radam_decoupled",
       make<RAdam>(RAdamOptions{
           .lr = 0.02, .beta2 = 0.9, .weight_decay = 0.1, .decoupled_weight_decay = true})},
  };
  return *all;
}

TEST(Optim, steps_are_those_of_torch) {
  for (const auto& [name, make] : optimizers()) {
    Problem problem;
    const auto optimizer = make(problem.parameters());
    for (int i = 0; i < steps; ++i) {
      optimizer->zero_grad();
      problem.loss().backward();
      optimizer->step();
    }
    expect_as(name, problem);
  }
}

TEST(Optim, a_whole_step_is_one_program) {
  for (const auto& [name, make] : optimizers()) {
    Problem problem;
    const auto optimizer = make(problem.parameters());
    auto step = compile([&] {
      optimizer->zero_grad();
      const Tensor loss = problem.loss();
      loss.backward();
      optimizer->step();
      optimizer->zero_grad();
      return detach(loss);
    });
    for (int i = 0; i < steps; ++i) (void)step();
    expect_as(name, problem);
    const CompiledReport report = step.report();
    EXPECT_TRUE(report.breaks.empty()) << name << ": " << report.breaks[0].reason;
    EXPECT_TRUE(report.fallbacks.empty()) << name << ": " << report.fallbacks[0].reason;
    EXPECT_LE(report.segments.size(), 4U) << name;  // without moments, with them, numbers vary
  }
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

TEST(Optim, a_network_learns_eagerly_and_compiled_alike) {
  manual_seed(3);
  Net eager, fast;
  fast.load([&](std::string_view name) {
    for (const auto& [known, tensor] : eager.named_parameters()) {
      if (known == name) return clone(*tensor);
    }
    return Tensor();
  });
  for (Net* net : {&eager, &fast}) net->requires_grad_();
  AdamW of_eager(eager.parameters(), {.lr = 0.02}), of_fast(fast.parameters(), {.lr = 0.02});
  const auto [x, y] = points(64);
  const auto step = [](const Net& net, AdamW& optimizer, const Tensor& in, const Tensor& classes) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy_loss(net(in), classes);
    loss.backward();
    (void)nn::clip_grad_norm_(optimizer.parameters(), 1.0);
    optimizer.step();
    optimizer.zero_grad();
    return detach(loss);
  };
  auto compiled = compile(
      [&](const Tensor& in, const Tensor& classes) { return step(fast, of_fast, in, classes); });
  float first = 0, last = 0;
  for (int i = 0; i < 60; ++i) {
    const auto want = step(eager, of_eager, x, y).item<float>(), got = compiled(x, y).item<float>();
    EXPECT_NEAR(got, want, 1e-3F * want + 1e-5F) << i;
    if (i == 0) first = want;
    last = want;
  }
  EXPECT_LT(last, first / 4);
  const CompiledReport report = compiled.report();
  EXPECT_TRUE(report.fallbacks.empty()) << report.fallbacks[0].reason;
  EXPECT_TRUE(report.breaks.empty()) << report.breaks[0].reason;
}

TEST(Optim, statistics_of_a_batch_norm_are_not_part_of_the_history) {
  struct Normed : nn::Module {
    nn::Linear in{*this, "in", 4, 6};
    nn::BatchNorm1d norm{*this, "norm", 6};
    Tensor operator()(const Tensor& x) const { return norm(in(x)); }
  };
  manual_seed(4);
  Normed eager;
  manual_seed(4);
  Normed fast;
  const Tensor x = points(16).first;
  const auto step = [&](Normed& net) {
    for (Tensor* parameter : net.parameters()) parameter->set_grad({});
    const Tensor loss = mean(square(net(x) - 0.5));
    loss.backward();
    return detach(loss);
  };
  auto compiled = compile([&] { return step(fast); });
  for (Normed* net : {&eager, &fast}) net->requires_grad_();
  for (int i = 0; i < 3; ++i) {
    const float want = step(eager).item<float>(), got = compiled().item<float>();
    EXPECT_NEAR(got, want, 1e-5F);
  }
  EXPECT_FALSE(eager.norm.running_mean.requires_grad());
  EXPECT_FALSE(fast.norm.running_var.requires_grad());
  const auto a = eager.norm.running_var.to_vector<float>(),
             b = fast.norm.running_var.to_vector<float>();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6F);
  const auto g = to(eager.in.weight.grad(), DType::f64).to_vector<double>(),
             h = to(fast.in.weight.grad(), DType::f64).to_vector<double>();
  for (size_t i = 0; i < g.size(); ++i) EXPECT_NEAR(g[i], h[i], 1e-6);
}

TEST(Optim, lbfgs_is_that_of_torch) {
  for (const bool search : {false, true}) {
    Problem problem;
    LBFGS optimizer(problem.parameters(),
                    search ? LBFGSOptions{.max_iter = 6, .history_size = 4, .line_search = true}
                           : LBFGSOptions{.lr = 0.5, .max_iter = 4, .history_size = 5});
    for (int i = 0; i < 10; ++i) {
      (void)optimizer.step([&] {
        optimizer.zero_grad();
        const Tensor loss = problem.loss();
        loss.backward();
        return loss;
      });
    }
    expect_as(search ? "lbfgs_wolfe" : "lbfgs", problem);
  }
}

// torch has no Lion: algorithm 2 of its paper, number by number.
TEST(Optim, lion_follows_its_paper) {
  Tensor x = Tensor::from({1.0, -2.0}, {2}).set_requires_grad(true);
  Lion optimizer({&x}, {.lr = 0.1, .beta1 = 0.8, .beta2 = 0.9, .weight_decay = 0.5});
  double want[] = {1, -2}, m[] = {0, 0};
  for (int i = 0; i < 6; ++i) {
    optimizer.zero_grad();
    sum(x * x * x).backward();
    optimizer.step();
    for (int k = 0; k < 2; ++k) {
      const double g = 3 * want[k] * want[k], c = 0.8 * m[k] + 0.2 * g;
      want[k] -= 0.1 * ((c > 0 ? 1 : c < 0 ? -1 : 0) + 0.5 * want[k]);
      m[k] = 0.9 * m[k] + 0.1 * g;
      EXPECT_NEAR(numbers(x)[static_cast<size_t>(k)], want[k], 1e-12) << i;
    }
  }
}

TEST(Optim, loaded_weights_go_on_requiring_gradients) {
  Net net;
  net.requires_grad_();
  net.load([&](std::string_view name) {
    for (const auto& [known, tensor] : net.named_parameters()) {
      if (known == name) return clone(detach(*tensor));
    }
    return Tensor();
  });
  EXPECT_TRUE(net.in.weight.requires_grad());
  EXPECT_TRUE(net.out.bias.is_leaf());
}

TEST(Optim, groups_have_options_of_their_own) {
  Problem both, apart;
  SGD together(both.parameters(), {.lr = 0.1});
  SGD groups({{{&apart.a}, {.lr = 0.1}}, {{&apart.b}, {.lr = 0}}});
  for (SGD* one : {&together, &groups}) {
    Problem& problem = one == &groups ? apart : both;
    problem.loss().backward();
    one->step();
  }
  EXPECT_EQ(numbers(both.a), numbers(apart.a));
  EXPECT_NE(numbers(both.b), numbers(apart.b));
  EXPECT_EQ(numbers(apart.b), (std::vector<double>{1, -2}));
}

// As torch's add_param_group: the state of what was there goes on, that of the new begins.
TEST(Optim, a_group_added_later_is_changed_from_then_on) {
  Problem problem, first, second;
  AdamW grows({&problem.a}, {.lr = 0.1}), of_a({&first.a}, {.lr = 0.1}),
      of_b({&second.b}, {.lr = 0.3});
  StepLR schedule(grows, 2);
  double& rate = grows.options().lr;
  const auto step = [](Problem& p, Optimizer& o) {
    p.a.set_grad({}), p.b.set_grad({});
    (sum(p.a * p.a * p.a) + sum(p.b * p.b)).backward();
    o.step();
  };
  for (int i = 0; i < 6; ++i) {
    if (i == 3) grows.add_param_group({&problem.b}, {.lr = 0.3});
    step(problem, grows), step(first, of_a);
    if (i >= 3) step(second, of_b);
    EXPECT_EQ(numbers(problem.a), numbers(first.a)) << i;
    EXPECT_EQ(numbers(problem.b), numbers(second.b)) << i;
    schedule.step();
    of_a.options().lr = rate;
  }
  EXPECT_EQ(grows.group_count(), 2U);
  EXPECT_EQ(grows.options(1).weight_decay, 1e-2) << "AdamW's default, not Adam's";
  EXPECT_EQ(grows.options(1).lr, 0.3) << "the schedule was made before";
  EXPECT_LT(rate, 0.1);
}

TEST(Optim, a_group_that_is_refused_leaves_the_optimizer_as_it_was) {
  Problem problem;
  SGD optimizer({&problem.a});
  EXPECT_NE(error_of([&] {
              optimizer.add_param_group({&problem.b, &problem.a});
            }).find("was given twice"),
            std::string::npos);
  EXPECT_NE(error_of([&] { optimizer.add_param_group({&problem.b}, {.lr = -1}); }), "");
  EXPECT_EQ(optimizer.parameters().size(), 1U);
  EXPECT_EQ(optimizer.group_count(), 1U);
  optimizer.add_param_group({&problem.b});
  EXPECT_EQ(optimizer.parameters().size(), 2U);
}

// The function is captured again, as its optimizer changes other parameters.
TEST(Optim, a_compiled_step_changes_a_group_added_later) {
  Problem problem, want;
  SGD compiled_one({&problem.a}, {.lr = 0.1, .momentum = 0.9}),
      eager_one({&want.a}, {.lr = 0.1, .momentum = 0.9});
  const auto step = [](Problem& p, SGD& o) {
    const Tensor loss = p.loss();
    loss.backward();
    o.step();
    o.zero_grad();
    return loss;
  };
  auto compiled = compile([&] { return step(problem, compiled_one); });
  for (int i = 0; i < 8; ++i) {
    if (i == 4) {
      compiled_one.add_param_group({&problem.b}, {.lr = 0.05});
      eager_one.add_param_group({&want.b}, {.lr = 0.05});
    }
    (void)compiled(), (void)step(want, eager_one);
    EXPECT_EQ(numbers(problem.a), numbers(want.a)) << i;
    EXPECT_EQ(numbers(problem.b), numbers(want.b)) << i;
  }
}

TEST(Optim, goes_on_from_a_saved_state_to_the_bit) {
  for (const auto& [name, make] : optimizers()) {
    Problem problem, again;
    const auto optimizer = make(problem.parameters()), other = make(again.parameters());
    const auto step = [](Problem& p, Optimizer& o) {
      o.zero_grad();
      p.loss().backward();
      o.step();
    };
    for (int i = 0; i < 5; ++i) step(problem, *optimizer);
    {
      const NoGrad unrecorded;
      (void)copy_(again.a, problem.a);
      (void)copy_(again.b, problem.b);
    }
    const auto tensors = optimizer->named_tensors(), to_tensors = other->named_tensors();
    for (size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_EQ(tensors[i].first, to_tensors[i].first);
      const Tensor& one = *tensors[i].second;
      *to_tensors[i].second = one.defined() ? clone(one) : Tensor();
    }
    const auto values = optimizer->named_numbers(), to_values = other->named_numbers();
    for (size_t i = 0; i < values.size(); ++i) *to_values[i].second = *values[i].second;
    for (int i = 0; i < 5; ++i) {
      step(problem, *optimizer);
      step(again, *other);
    }
    EXPECT_EQ(numbers(problem.a), numbers(again.a)) << name;
    EXPECT_EQ(numbers(problem.b), numbers(again.b)) << name;
  }
}

TEST(Optim, refuses_what_makes_no_sense) {
  Problem problem;
  const Parameters twice{&problem.a, &problem.a};
  EXPECT_NE(error_of([&] { SGD one(twice); }).find("given twice"), std::string::npos);
  EXPECT_NE(error_of([&] { SGD one(Parameters{}); }).find("no parameters"), std::string::npos);
  EXPECT_NE(error_of([&] { SGD one(problem.parameters(), {.lr = -1}); }).find("lr"),
            std::string::npos);
  EXPECT_NE(error_of([&] { Adam one(problem.parameters(), {.beta1 = 1}); }).find("beta1"),
            std::string::npos);
  EXPECT_NE(error_of([&] { SGD one(problem.parameters(), {.nesterov = true}); }).find("nesterov"),
            std::string::npos);
}

TEST(Optim, leaves_parameters_without_a_gradient) {
  Problem problem;
  Adam optimizer(problem.parameters());
  sum(problem.a).backward();
  optimizer.step();
  EXPECT_EQ(numbers(problem.b), (std::vector<double>{1, -2}));
  EXPECT_NE(numbers(problem.a)[0], 0.3);
}

using MakeSchedule = std::function<std::unique_ptr<Schedule>(Optimizer&)>;

TEST(Schedule, rates_are_those_of_torch) {
  const std::multimap<std::string, MakeSchedule> all{
      {"step", [](Optimizer& o) { return std::make_unique<StepLR>(o, 7, 0.5); }},
      {"multi_step",
       [](Optimizer& o) {
         return std::make_unique<MultiStepLR>(o, std::vector<int64_t>{3, 10, 10, 50}, 0.3);
       }},
      {"exponential", [](Optimizer& o) { return std::make_unique<ExponentialLR>(o, 0.97); }},
      {"linear", [](Optimizer& o) { return std::make_unique<LinearLR>(o, 0.1, 0.8, 20); }},
      {"linear",
       [](Optimizer& o) {
         return std::make_unique<LambdaLR>(o, [](int64_t step) {
           return step < 20 ? 0.1 + 0.7 * static_cast<double>(step) / 20 : 0.8;
         });
       }},
      {"cosine", [](Optimizer& o) { return std::make_unique<CosineAnnealingLR>(o, 30, 0.001); }},
      {"warm_restarts",
       [](Optimizer& o) { return std::make_unique<CosineAnnealingWarmRestarts>(o, 10, 2, 0.001); }},
      {"warm_restarts_equal",
       [](Optimizer& o) { return std::make_unique<CosineAnnealingWarmRestarts>(o, 9); }},
      {"one_cycle", [](Optimizer& o) { return std::make_unique<OneCycleLR>(o, 0.3, steps); }},
      {"one_cycle_three",
       [](Optimizer& o) {
         return std::make_unique<OneCycleLR>(
             o, 0.3, steps,
             OneCycleOptions{.anneal_strategy = OneCycleOptions::Anneal::linear,
                             .three_phase = true});
       }},
      {"swalr", [](Optimizer& o) { return std::make_unique<SWALR>(o, 0.02, 20); }},
      {"swalr_linear",
       [](Optimizer& o) { return std::make_unique<SWALR>(o, 0.3, 7, SWALR::Anneal::linear); }},
      {"swalr_at_once", [](Optimizer& o) { return std::make_unique<SWALR>(o, 0.02, 0); }},
  };
  for (const auto& [name, make] : all) {
    Problem problem;
    SGD optimizer(problem.parameters(), {.lr = 0.1, .momentum = 0.9});
    const auto schedule = make(optimizer);
    const std::vector<double> rates = numbers(reference().at(name + ".lr")),
                              momenta = numbers(reference().at(name + ".momentum"));
    for (int i = 0; i < steps; ++i) {
      EXPECT_NEAR(optimizer.options().lr, rates[i], 1e-12) << name << " at " << i;
      EXPECT_NEAR(optimizer.options().momentum, momenta[i], 1e-12) << name << " at " << i;
      if (i + 1 < steps) schedule->step();
    }
  }
}

TEST(Schedule, a_plateau_reduces_the_rate) {
  Problem problem;
  SGD optimizer(problem.parameters(), {.lr = 0.1});
  ReduceLROnPlateau schedule(optimizer, {.factor = 0.5, .patience = 2, .cooldown = 1});
  const std::vector<double> measures = numbers(reference().at("plateau.measures")),
                            rates = numbers(reference().at("plateau.lr"));
  for (size_t i = 0; i < measures.size(); ++i) {
    schedule.step(measures[i]);
    EXPECT_NEAR(optimizer.options().lr, rates[i], 1e-15) << i;
  }
}

TEST(Clip, limits_the_norm_and_the_elements) {
  Tensor a = Tensor::from({1.0, 1.0}, {2}).set_requires_grad(true);
  Tensor b = Tensor::from({1.0}, {1}).set_requires_grad(true);
  Tensor without = Tensor::from({1.0}, {1}).set_requires_grad(true);
  const Parameters all{&a, &b, &without};
  a.set_grad(Tensor::from({3.0, 4.0}, {2}));
  b.set_grad(Tensor::from({12.0}, {1}));
  EXPECT_DOUBLE_EQ(nn::clip_grad_norm_(all, 100).item<double>(), 13);
  EXPECT_EQ(numbers(a.grad()), (std::vector<double>{3, 4}));
  (void)nn::clip_grad_norm_(all, 1.3);
  EXPECT_NEAR(numbers(b.grad())[0], 1.2, 1e-6);
  EXPECT_NEAR(nn::clip_grad_norm_(all, 1, std::numeric_limits<double>::infinity()).item<double>(),
              1.2, 1e-6);
  nn::clip_grad_value_(all, 0.25);
  EXPECT_EQ(numbers(b.grad()), (std::vector<double>{0.25}));
  EXPECT_FALSE(without.grad().defined());
}

// torch 2.13: [0.4 0.95 0.611 0.188 4e-06 0.188] after 0 to 5 steps, and a ValueError after 6.
TEST(Schedule, one_cycle_takes_as_many_steps_as_it_has) {
  Problem problem;
  SGD optimizer(problem.parameters(), {.lr = 0.1, .momentum = 0.9});
  OneCycleLR schedule(optimizer, 1.0, 5);
  for (const double rate :
       {0.9504846320134737, 0.6112620219362893, 0.18825834605023697, 4e-06, 0.18825834605023686}) {
    schedule.step();
    EXPECT_NEAR(*optimizer.learning_rates()[0], rate, 1e-12);
  }
  EXPECT_EQ(error_of([&] { schedule.step(); }),
            "OneCycleLR: step 6 of 5; a cycle has as many steps as total_steps says");
}

}  // namespace
}  // namespace vitro::optim
