// The update rules.  Each is a region: eager runs it as one kernel for a parameter and its moments.
#include "vitro/optim/optim.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <span>
#include <string_view>

#include "vitro/base/error.h"
#include "vitro/core/region.h"
#include "vitro/ops/all.h"

namespace vitro::optim {
namespace {

// What the state of a parameter holds.
struct Names {
  std::array<std::string_view, 3> tensors, numbers;
  static std::span<const std::string_view> used(const std::array<std::string_view, 3>& all) {
    return {all.begin(), std::ranges::find(all, "")};
  }
};
template <class Options>
constexpr Names names_of;

void check_at_least_0(std::string_view optimizer, std::string_view option, double value) {
  VITRO_CHECK(value >= 0, optimizer, ": ", option, " must not be negative, got ", value);
}

void check_beta(std::string_view optimizer, std::string_view option, double value) {
  VITRO_CHECK(value >= 0 && value < 1, optimizer, ": ", option, " must be in [0, 1), got ", value);
}

// Of the optimizers with two moments.
template <class Options>
void check_moments(std::string_view optimizer, const Options& o) {
  check_at_least_0(optimizer, "lr", o.lr);
  check_at_least_0(optimizer, "eps", o.eps);
  check_at_least_0(optimizer, "weight_decay", o.weight_decay);
  check_beta(optimizer, "beta1", o.beta1);
  check_beta(optimizer, "beta2", o.beta2);
}

// Makes a tensor of the state at the parameter's first step.  It is not computed by a compiled
// function that steps, whose first call would then be another program than those after it.
Tensor& begun(Tensor& moment, const Tensor& parameter, double value = 0) {
  if (moment.defined()) return moment;
  const UsingStack outside(parameter.is_deferred() ? thread_state.top : nullptr);
  moment = full_like(detach(parameter), value);
  return moment;
}

Tensor descent(const Tensor& gradient, bool maximize) {
  return maximize ? neg(gradient) : gradient;
}
Tensor decayed(const Tensor& gradient, const Tensor& parameter, double weight_decay) {
  return weight_decay == 0 ? gradient : gradient + parameter * weight_decay;
}

// The gradient to follow down, with the weight decay in it; a decoupled one is that of the
// parameter at once.
template <class Options>
Tensor decayed_or_decoupled(const Options& o, const Tensor& gradient, Tensor& parameter) {
  const Tensor g = descent(gradient, o.maximize);
  if (!o.decoupled_weight_decay) return decayed(g, parameter, o.weight_decay);
  (void)mul_(parameter, 1 - o.lr * o.weight_decay);
  return g;
}

// m becomes beta m + (1 - beta) x.
Tensor average_in(Tensor& m, const Tensor& x, double beta) {
  return copy_(m, m * beta + x * (1 - beta));
}

void run(std::string_view name, std::initializer_list<const Tensor*> tensors,
         FunctionRef<void()> rule) {
  run_region(name, {tensors.begin(), tensors.size()}, rule);
}

// ---- SGD

template <>
constexpr Names names_of<SGDOptions>{{"momentum_buffer"}, {}};
void check(const SGDOptions& o) {
  check_at_least_0("SGD", "lr", o.lr);
  check_at_least_0("SGD", "momentum", o.momentum);
  check_at_least_0("SGD", "weight_decay", o.weight_decay);
  VITRO_CHECK(!o.nesterov || (o.momentum > 0 && o.dampening == 0),
              "SGD: nesterov needs a momentum above 0 and no dampening");
}
void update(const SGDOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  Tensor& buffer = state.tensors[0];
  const bool first = !buffer.defined();
  if (o.momentum != 0) (void)begun(buffer, parameter);
  run("sgd", {&parameter, &gradient, &buffer}, [&] {
    Tensor g = decayed(descent(gradient, o.maximize), parameter, o.weight_decay);
    if (o.momentum != 0) {
      const bool is_gradient = first && o.dampening != 0;  // else the buffer is 0
      (void)copy_(buffer, is_gradient ? g : buffer * o.momentum + g * (1 - o.dampening));
      g = o.nesterov ? g + buffer * o.momentum : buffer;
    }
    (void)sub_(parameter, g * o.lr);
  });
}

// ---- Adam

template <>
constexpr Names names_of<AdamOptions>{{"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}, {"step"}};
void check(const AdamOptions& o) {
  check_moments("Adam", o);
}
void update(const AdamOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  const double step = ++state.numbers[0];
  Tensor &m = begun(state.tensors[0], parameter), &v = begun(state.tensors[1], parameter);
  Tensor& most = state.tensors[2];
  if (o.amsgrad) (void)begun(most, parameter);
  const double step_size = o.lr / (1 - std::pow(o.beta1, step));
  const double root = std::sqrt(1 - std::pow(o.beta2, step));
  run("adam", {&parameter, &gradient, &m, &v, &most}, [&] {
    const Tensor g = decayed_or_decoupled(o, gradient, parameter);
    (void)average_in(m, g, o.beta1);
    (void)average_in(v, g * g, o.beta2);
    if (o.amsgrad) (void)copy_(most, maximum(most, v));
    (void)sub_(parameter, m / (sqrt(o.amsgrad ? most : v) / root + o.eps) * step_size);
  });
}

// ---- RMSprop

template <>
constexpr Names names_of<RMSpropOptions>{{"square_avg", "momentum_buffer", "grad_avg"}, {"step"}};
void check(const RMSpropOptions& o) {
  check_at_least_0("RMSprop", "lr", o.lr);
  check_at_least_0("RMSprop", "alpha", o.alpha);
  check_at_least_0("RMSprop", "eps", o.eps);
  check_at_least_0("RMSprop", "weight_decay", o.weight_decay);
  check_at_least_0("RMSprop", "momentum", o.momentum);
}
void update(const RMSpropOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  ++state.numbers[0];
  Tensor& squares = begun(state.tensors[0], parameter);
  Tensor &buffer = state.tensors[1], &mean = state.tensors[2];
  if (o.momentum > 0) (void)begun(buffer, parameter);
  if (o.centered) (void)begun(mean, parameter);
  run("rmsprop", {&parameter, &gradient, &squares, &buffer, &mean}, [&] {
    const Tensor g = decayed(descent(gradient, o.maximize), parameter, o.weight_decay);
    (void)average_in(squares, g * g, o.alpha);
    if (o.centered) (void)average_in(mean, g, o.alpha);
    const Tensor spread = sqrt(o.centered ? squares - mean * mean : squares) + o.eps;
    if (o.momentum > 0) (void)copy_(buffer, buffer * o.momentum + g / spread);
    (void)sub_(parameter, (o.momentum > 0 ? buffer : g / spread) * o.lr);
  });
}

// ---- Adagrad

template <>
constexpr Names names_of<AdagradOptions>{{"sum"}, {"step"}};
void check(const AdagradOptions& o) {
  check_at_least_0("Adagrad", "lr", o.lr);
  check_at_least_0("Adagrad", "lr_decay", o.lr_decay);
  check_at_least_0("Adagrad", "weight_decay", o.weight_decay);
  check_at_least_0("Adagrad", "initial_accumulator_value", o.initial_accumulator_value);
  check_at_least_0("Adagrad", "eps", o.eps);
}
void update(const AdagradOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  const double step = ++state.numbers[0];
  Tensor& squares = begun(state.tensors[0], parameter, o.initial_accumulator_value);
  const double rate = o.lr / (1 + (step - 1) * o.lr_decay);
  run("adagrad", {&parameter, &gradient, &squares}, [&] {
    const Tensor g = decayed(descent(gradient, o.maximize), parameter, o.weight_decay);
    (void)add_(squares, g * g);
    (void)sub_(parameter, g / (sqrt(squares) + o.eps) * rate);
  });
}

// ---- Adadelta

template <>
constexpr Names names_of<AdadeltaOptions>{{"square_avg", "acc_delta"}, {"step"}};
void check(const AdadeltaOptions& o) {
  check_at_least_0("Adadelta", "lr", o.lr);
  VITRO_CHECK(o.rho >= 0 && o.rho <= 1, "Adadelta: rho must be in [0, 1], got ", o.rho);
  check_at_least_0("Adadelta", "eps", o.eps);
  check_at_least_0("Adadelta", "weight_decay", o.weight_decay);
}
void update(const AdadeltaOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  ++state.numbers[0];
  Tensor& squares = begun(state.tensors[0], parameter);
  Tensor& changes = begun(state.tensors[1], parameter);
  run("adadelta", {&parameter, &gradient, &squares, &changes}, [&] {
    const Tensor g = decayed(descent(gradient, o.maximize), parameter, o.weight_decay);
    (void)average_in(squares, g * g, o.rho);
    const Tensor change = sqrt(changes + o.eps) / sqrt(squares + o.eps) * g;
    (void)average_in(changes, change * change, o.rho);
    (void)sub_(parameter, change * o.lr);
  });
}

// ---- Adamax

template <>
constexpr Names names_of<AdamaxOptions>{{"exp_avg", "exp_inf"}, {"step"}};
void check(const AdamaxOptions& o) {
  check_moments("Adamax", o);
}
void update(const AdamaxOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  const double step = ++state.numbers[0];
  Tensor &m = begun(state.tensors[0], parameter), &most = begun(state.tensors[1], parameter);
  const double rate = o.lr / (1 - std::pow(o.beta1, step));
  run("adamax", {&parameter, &gradient, &m, &most}, [&] {
    const Tensor g = decayed(descent(gradient, o.maximize), parameter, o.weight_decay);
    (void)average_in(m, g, o.beta1);
    (void)copy_(most, maximum(most * o.beta2, abs(g) + o.eps));
    (void)sub_(parameter, m / most * rate);
  });
}

// ---- NAdam

template <>
constexpr Names names_of<NAdamOptions>{{"exp_avg", "exp_avg_sq"}, {"step", "mu_product"}};
void check(const NAdamOptions& o) {
  check_moments("NAdam", o);
  check_at_least_0("NAdam", "momentum_decay", o.momentum_decay);
}
void update(const NAdamOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  const double step = ++state.numbers[0];
  double& product = state.numbers[1];
  if (step == 1) product = 1;
  const auto momentum = [&](double at) {
    return o.beta1 * (1 - 0.5 * std::pow(0.96, at * o.momentum_decay));
  };
  const double now = momentum(step), next = momentum(step + 1);
  product *= now;
  const double of_gradient = o.lr * (1 - now) / (1 - product);
  const double of_moment = o.lr * next / (1 - product * next);
  const double unbiased = 1 - std::pow(o.beta2, step);
  Tensor &m = begun(state.tensors[0], parameter), &v = begun(state.tensors[1], parameter);
  run("nadam", {&parameter, &gradient, &m, &v}, [&] {
    const Tensor g = decayed_or_decoupled(o, gradient, parameter);
    (void)average_in(m, g, o.beta1);
    (void)average_in(v, g * g, o.beta2);
    const Tensor spread = sqrt(v / unbiased) + o.eps;
    (void)sub_(parameter, g / spread * of_gradient + m / spread * of_moment);
  });
}

// ---- RAdam

template <>
constexpr Names names_of<RAdamOptions>{{"exp_avg", "exp_avg_sq"}, {"step"}};
void check(const RAdamOptions& o) {
  check_moments("RAdam", o);
}
void update(const RAdamOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  const double step = ++state.numbers[0];
  const double decay = std::pow(o.beta2, step), unbiased = 1 - decay;
  const double most = 2 / (1 - o.beta2) - 1, length = most - 2 * step * decay / unbiased;
  const double rate = o.lr / (1 - std::pow(o.beta1, step));
  const bool is_rectified = length > 5;
  const double rectification =
      is_rectified
          ? std::sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) *
                std::sqrt(unbiased)
          : 0;
  Tensor &m = begun(state.tensors[0], parameter), &v = begun(state.tensors[1], parameter);
  run("radam", {&parameter, &gradient, &m, &v}, [&] {
    const Tensor g = decayed_or_decoupled(o, gradient, parameter);
    (void)average_in(m, g, o.beta1);
    (void)average_in(v, g * g, o.beta2);
    const Tensor change = is_rectified ? m / (sqrt(v) + o.eps) * (rate * rectification) : m * rate;
    (void)sub_(parameter, change);
  });
}

// ---- Lion

template <>
constexpr Names names_of<LionOptions>{{"exp_avg"}, {"step"}};
void check(const LionOptions& o) {
  check_at_least_0("Lion", "lr", o.lr);
  check_at_least_0("Lion", "weight_decay", o.weight_decay);
  check_beta("Lion", "beta1", o.beta1);
  check_beta("Lion", "beta2", o.beta2);
}
void update(const LionOptions& o, Tensor& parameter, const Tensor& gradient, State& state) {
  ++state.numbers[0];
  Tensor& m = begun(state.tensors[0], parameter);
  run("lion", {&parameter, &gradient, &m}, [&] {
    const Tensor g = descent(gradient, o.maximize);
    if (o.weight_decay != 0) (void)mul_(parameter, 1 - o.lr * o.weight_decay);
    (void)sub_(parameter, sign(m * o.beta1 + g * (1 - o.beta1)) * o.lr);
    (void)average_in(m, g, o.beta2);
  });
}

}  // namespace

template <class Options>
OptimizerOf<Options>::OptimizerOf(std::vector<Group> groups)
    : OptimizerWith<Options>(Names::used(names_of<Options>.tensors),
                             Names::used(names_of<Options>.numbers)) {
  for (Group& group : groups) add_param_group(group.parameters, std::move(group.options));
}

template <class Options>
void OptimizerOf<Options>::add_param_group(const Parameters& parameters, Options options) {
  check(options);
  this->add_group(parameters, std::move(options));
}

template <class Options>
void OptimizerOf<Options>::update(Tensor& parameter, const Tensor& gradient, State& state,
                                  size_t group) {
  optim::update(this->options(group), parameter, gradient, state);
}

template class OptimizerOf<SGDOptions>;
template class OptimizerOf<AdamOptions>;
template class OptimizerOf<RMSpropOptions>;
template class OptimizerOf<AdagradOptions>;
template class OptimizerOf<AdadeltaOptions>;
template class OptimizerOf<AdamaxOptions>;
template class OptimizerOf<NAdamOptions>;
template class OptimizerOf<RAdamOptions>;
template class OptimizerOf<LionOptions>;

namespace {

std::vector<Adam::Group> as_adam(const std::vector<std::pair<Parameters, AdamWOptions>>& groups) {
  std::vector<Adam::Group> out;
  for (const auto& [parameters, options] : groups) out.push_back({parameters, options});
  return out;
}

}  // namespace

AdamW::AdamW(const std::vector<std::pair<Parameters, AdamWOptions>>& groups)
    : Adam(as_adam(groups)) {}

}  // namespace vitro::optim
