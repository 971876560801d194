// Schedules of learning rates, with the names, defaults and meaning of torch.optim.lr_scheduler.
//   optim::SGD optimizer(model.parameters(), {.lr = 0.1});
//   optim::CosineAnnealingLR schedule(optimizer, 100);
//   for (int epoch = 0; epoch < 100; ++epoch) { train(); schedule.step(); }
// A schedule begins with the rates that the groups have, and sets those of step 0 at once.  Rates
// follow from the count of steps alone, so that a schedule resumes with set_steps().
// An optimizer has one schedule: a second one takes the rates that the first has set as those that
// the groups have.  To warm up and then follow a cosine, write the factor (LambdaLR).
// The optimizer must outlive it.  Threads: as its optimizer.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "vitro/optim/optimizer.h"

namespace vitro::optim {

class Schedule {
 public:
  Schedule(const Schedule&) = delete;
  Schedule& operator=(const Schedule&) = delete;
  virtual ~Schedule() = default;
  // To be called after the optimizer's step, once an epoch or once a batch.
  void step() { set_steps(steps_ + 1); }
  int64_t steps() const { return steps_; }
  // Goes to that count of steps.
  void set_steps(int64_t steps);

 protected:
  // The constructor of a schedule calls set_steps(0) last.
  explicit Schedule(Optimizer& optimizer);
  Optimizer& optimizer() { return optimizer_; }
  // The rate of a group that began with `base`, after so many steps.
  virtual double rate(double base, int64_t steps) const = 0;
  // Sets what else the schedule changes; the rates are set.
  virtual void set_others(int64_t steps) { (void)steps; }

 private:
  Optimizer& optimizer_;
  std::vector<double> bases_;
  int64_t steps_ = 0;
};

// Multiplied by what the function returns for a count of steps, which may only depend on that.
//   optim::LambdaLR schedule(optimizer, [](int64_t step) { return std::min(1.0, step / 100.0); });
class LambdaLR final : public Schedule {
 public:
  LambdaLR(Optimizer& optimizer, std::function<double(int64_t steps)> factor);

 private:
  double rate(double base, int64_t steps) const override;
  std::function<double(int64_t)> factor_;
};

// Multiplied by gamma every `step_size` steps.
class StepLR final : public Schedule {
 public:
  StepLR(Optimizer& optimizer, int64_t step_size, double gamma = 0.1);

 private:
  double rate(double base, int64_t steps) const override;
  int64_t size_;
  double gamma_;
};

// Multiplied by gamma at each milestone.
class MultiStepLR final : public Schedule {
 public:
  MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma = 0.1);

 private:
  double rate(double base, int64_t steps) const override;
  std::vector<int64_t> milestones_;
  double gamma_;
};

// Multiplied by gamma at every step.
class ExponentialLR final : public Schedule {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma);

 private:
  double rate(double base, int64_t steps) const override;
  double gamma_;
};

// Multiplied by a factor that goes from `start_factor` to `end_factor` in `total_iters` steps:
// a linear warm-up.
class LinearLR final : public Schedule {
 public:
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1.0,
                    int64_t total_iters = 5);

 private:
  double rate(double base, int64_t steps) const override;
  double start_, end_;
  int64_t total_;
};

// Half a cosine from the first rate to `eta_min` in `t_max` steps, and back again.
class CosineAnnealingLR final : public Schedule {
 public:
  CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min = 0);

 private:
  double rate(double base, int64_t steps) const override;
  int64_t period_;
  double least_;
};

// The same, begun anew after t_0 steps, then after t_0 t_mult, and so on.
class CosineAnnealingWarmRestarts final : public Schedule {
 public:
  CosineAnnealingWarmRestarts(Optimizer& optimizer, int64_t t_0, int64_t t_mult = 1,
                              double eta_min = 0);

 private:
  double rate(double base, int64_t steps) const override;
  int64_t first_, factor_;
  double least_;
};

// Up to `max_lr`, and down to a small part of the first rate (Smith and Topin, 2019).  The momentum
// of the optimizer (beta1), if it has one, goes the other way.  Error after `total_steps` steps.
struct OneCycleOptions {
  double pct_start = 0.3;  // the share of steps that go up
  enum class Anneal : uint8_t { cos, linear } anneal_strategy = Anneal::cos;
  bool cycle_momentum = true;
  double base_momentum = 0.85, max_momentum = 0.95;
  double div_factor = 25, final_div_factor = 1e4;  // max_lr / the first, the first / the last
  bool three_phase = false;
};
class OneCycleLR final : public Schedule {
 public:
  OneCycleLR(Optimizer& optimizer, double max_lr, int64_t total_steps,
             OneCycleOptions options = {});

 private:
  double rate(double base, int64_t steps) const override;
  void set_others(int64_t steps) override;
  double between(int64_t steps, double first, double middle, double last) const;
  double max_;
  int64_t total_;
  OneCycleOptions options_;
};

// From the first rate to `swa_lr` in `anneal_epochs` steps, where it stays: for an average of the
// weights (nn::StochasticWeightAverage, nn/average.h).  torch.optim.swa_utils.SWALR.
class SWALR final : public Schedule {
 public:
  using Anneal = OneCycleOptions::Anneal;
  SWALR(Optimizer& optimizer, double swa_lr, int64_t anneal_epochs = 10,
        Anneal anneal_strategy = Anneal::cos);

 private:
  double rate(double base, int64_t steps) const override;
  double last_;
  int64_t epochs_;
  Anneal strategy_;
};

// Multiplied by `factor` once a measure has not improved for more than `patience` steps.
struct PlateauOptions {
  bool maximize = false;  // PyTorch's mode="max"
  double factor = 0.1;
  int64_t patience = 10;
  double threshold = 1e-4;
  bool threshold_is_absolute = false;
  int64_t cooldown = 0;
  double min_lr = 0, eps = 1e-8;
};
class ReduceLROnPlateau {
 public:
  explicit ReduceLROnPlateau(Optimizer& optimizer, PlateauOptions options = {});
  void step(double measure);
  // All that has to be saved to go on.
  struct State {
    double best;
    int64_t bad_steps = 0, cooldown = 0;
  };
  State& state() { return state_; }

 private:
  Optimizer& optimizer_;
  PlateauOptions options_;
  State state_;
};

}  // namespace vitro::optim
