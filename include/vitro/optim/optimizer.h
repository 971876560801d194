// What all optimizers have in common: groups of parameters, their state, and the step.
// vitro/optim/optim.h has the optimizers.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::optim {

using Parameters = std::vector<Tensor*>;

// The state of one parameter: its moments, undefined before the first step with a gradient, and
// numbers such as the count of steps.
struct State {
  std::vector<Tensor> tensors;
  std::vector<double> numbers;
};

class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  // Changes the parameters that have a gradient.  Records no gradients itself.
  void step();
  // The same, unless `skip`, a bool of one element, is true: then parameters and state stay as they
  // are.  In a compiled function it becomes a part of the program, too, which chooses between old
  // and new elements.  What the step counts is settled when it is next needed: a second step in the
  // same call of a compiled function is a graph break.
  void step_unless(const Tensor& skip);
  // Takes back the counts of such a step, if it was skipped.  The next step and the functions below
  // do so themselves; those who keep the pointers that these return call it before they read.
  void settle();
  // Drops the gradients of all parameters: the next backward() begins anew.
  void zero_grad();

  // All parameters, in the order in which they were given, and the groups' sizes.
  const Parameters& parameters() const { return parameters_; }
  // The learning rate of each group, which schedules change.
  std::vector<double*> learning_rates();
  // The momentum, or beta1, of each group; empty for an optimizer that has none.
  std::vector<double*> momenta();

  // The state, for checkpoints, under names such as "3.exp_avg" (of parameter 3), "3.step" and
  // "group.0.lr".  A tensor that has not been made yet is undefined; one that is set must have the
  // sizes and dtype of the parameter.
  std::vector<std::pair<std::string, Tensor*>> named_tensors();
  std::vector<std::pair<std::string, double*>> named_numbers();

 protected:
  // The names of what a parameter's state holds.
  Optimizer(std::span<const std::string_view> tensors, std::span<const std::string_view> numbers)
      : tensor_names_(tensors), number_names_(numbers) {}
  // Error if the list is empty, or has an undefined tensor or one twice; then no group is added.
  void add_group(const Parameters& parameters);

  virtual double& learning_rate(size_t group) = 0;
  virtual double* momentum(size_t group) = 0;
  // Changes one parameter in place.
  virtual void update(Tensor& parameter, const Tensor& gradient, State& state, size_t group) = 0;

 private:
  void mark_memory() const;
  void step(size_t parameter);
  void step_unless(const Tensor& skip, size_t parameter);

  // A step of which it is not known yet whether it was skipped, and the state before it.
  struct Unsettled {
    Tensor skip;
    std::vector<State> before;
  };
  const std::span<const std::string_view> tensor_names_, number_names_;
  Parameters parameters_;
  std::vector<size_t> group_of_;  // by parameter
  std::vector<State> states_;
  std::optional<Unsettled> unsettled_;
  size_t groups_ = 0;
};

// With options for each group.
template <class Options>
class OptimizerWith : public Optimizer {
 public:
  struct Group {
    Parameters parameters;
    Options options;
  };
  size_t group_count() const { return options_.size(); }
  // Options may be changed between steps; the reference is valid while the optimizer lives.
  Options& options(size_t group = 0) { return options_.at(group); }

 protected:
  OptimizerWith(std::span<const std::string_view> tensors,
                std::span<const std::string_view> numbers)
      : Optimizer(tensors, numbers) {}
  void add_group(const Parameters& parameters, Options options) {
    Optimizer::add_group(parameters);
    options_.push_back(std::move(options));
  }
  double& learning_rate(size_t group) override { return options_[group].lr; }
  double* momentum(size_t group) override {
    if constexpr (requires(Options& o) { o.momentum; })
      return &options_[group].momentum;
    else if constexpr (requires(Options& o) { o.beta1; })
      return &options_[group].beta1;
    else
      return nullptr;
  }

 private:
  std::deque<Options> options_;
};

}  // namespace vitro::optim
