// Rates as functions of the count of steps.
#include "vitro/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "vitro/base/error.h"

namespace vitro::optim {
namespace {

// Half a cosine from `from` (at share 0) to `to` (at share 1).
double half_cosine(double from, double to, double share) {
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * share));
}

void check_positive(const char* schedule, const char* option, double value) {
  VITRO_CHECK(value > 0, schedule, ": ", option, " must be positive, got ", value);
}

}  // namespace

Schedule::Schedule(Optimizer& optimizer) : optimizer_(optimizer) {
  for (const double* rate : optimizer.learning_rates()) bases_.push_back(*rate);
}

void Schedule::set_steps(int64_t steps) {
  const std::vector<double*> rates = optimizer_.learning_rates();
  std::vector<double> made;
  for (const double base : bases_) made.push_back(rate(base, steps));
  for (size_t group = 0; group < made.size(); ++group) *rates[group] = made[group];
  set_others(steps);
  steps_ = steps;
}

LambdaLR::LambdaLR(Optimizer& optimizer, std::function<double(int64_t)> factor)
    : Schedule(optimizer), factor_(std::move(factor)) {
  set_steps(0);
}
double LambdaLR::rate(double base, int64_t steps) const {
  return base * factor_(steps);
}

StepLR::StepLR(Optimizer& optimizer, int64_t step_size, double gamma)
    : Schedule(optimizer), size_(step_size), gamma_(gamma) {
  check_positive("StepLR", "step_size", static_cast<double>(step_size));
  set_steps(0);
}
double StepLR::rate(double base, int64_t steps) const {
  return base * std::pow(gamma_, static_cast<double>(steps / size_));
}

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma)
    : Schedule(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {
  set_steps(0);
}
double MultiStepLR::rate(double base, int64_t steps) const {
  const auto passed = std::ranges::count_if(milestones_, [&](int64_t at) { return at <= steps; });
  return base * std::pow(gamma_, static_cast<double>(passed));
}

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma)
    : Schedule(optimizer), gamma_(gamma) {
  set_steps(0);
}
double ExponentialLR::rate(double base, int64_t steps) const {
  return base * std::pow(gamma_, static_cast<double>(steps));
}

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor,
                   int64_t total_iters)
    : Schedule(optimizer), start_(start_factor), end_(end_factor), total_(total_iters) {
  VITRO_CHECK(start_factor > 0 && start_factor <= 1,
              "LinearLR: start_factor must be in (0, 1], got ", start_factor);
  VITRO_CHECK(end_factor >= 0 && end_factor <= 1, "LinearLR: end_factor must be in [0, 1], got ",
              end_factor);
  check_positive("LinearLR", "total_iters", static_cast<double>(total_iters));
  set_steps(0);
}
double LinearLR::rate(double base, int64_t steps) const {
  const auto share = static_cast<double>(std::min(steps, total_)) / static_cast<double>(total_);
  return base * (start_ + (end_ - start_) * share);
}

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, int64_t t_max, double eta_min)
    : Schedule(optimizer), period_(t_max), least_(eta_min) {
  check_positive("CosineAnnealingLR", "t_max", static_cast<double>(t_max));
  set_steps(0);
}
double CosineAnnealingLR::rate(double base, int64_t steps) const {
  return half_cosine(base, least_, static_cast<double>(steps) / static_cast<double>(period_));
}

CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(Optimizer& optimizer, int64_t t_0,
                                                         int64_t t_mult, double eta_min)
    : Schedule(optimizer), first_(t_0), factor_(t_mult), least_(eta_min) {
  check_positive("CosineAnnealingWarmRestarts", "t_0", static_cast<double>(t_0));
  check_positive("CosineAnnealingWarmRestarts", "t_mult", static_cast<double>(t_mult));
  set_steps(0);
}
double CosineAnnealingWarmRestarts::rate(double base, int64_t steps) const {
  int64_t at = steps, period = first_;
  if (factor_ == 1) {
    at %= period;
  } else {
    for (; at >= period; period *= factor_) at -= period;
  }
  return half_cosine(base, least_, static_cast<double>(at) / static_cast<double>(period));
}

namespace {

// From `from` (at share 0) to `to` (at share 1).
double annealed(OneCycleOptions::Anneal strategy, double from, double to, double share) {
  return strategy == OneCycleOptions::Anneal::cos ? half_cosine(from, to, share)
                                                  : from + (to - from) * share;
}

}  // namespace

OneCycleLR::OneCycleLR(Optimizer& optimizer, double max_lr, int64_t total_steps,
                       OneCycleOptions options)
    : Schedule(optimizer), max_(max_lr), total_(total_steps), options_(options) {
  check_positive("OneCycleLR", "max_lr", max_lr);
  check_positive("OneCycleLR", "total_steps", static_cast<double>(total_steps));
  VITRO_CHECK(options.pct_start >= 0 && options.pct_start <= 1,
              "OneCycleLR: pct_start must be in [0, 1], got ", options.pct_start);
  set_steps(0);
}
// Phases that end at a whole or broken count of steps, as PyTorch has them.
double OneCycleLR::between(int64_t steps, double first, double middle, double last) const {
  const auto total = static_cast<double>(total_), at = static_cast<double>(steps);
  const double up = options_.pct_start * total - 1;
  const auto from_to = [&](double from, double to, double begin, double end) {
    return annealed(options_.anneal_strategy, from, to, (at - begin) / (end - begin));
  };
  if (at <= up) return from_to(first, middle, 0, up);
  if (!options_.three_phase) return from_to(middle, last, up, total - 1);
  const double down = 2 * options_.pct_start * total - 2;
  return at <= down ? from_to(middle, first, up, down) : from_to(first, last, down, total - 1);
}
double OneCycleLR::rate(double, int64_t steps) const {
  VITRO_CHECK(steps <= total_, "OneCycleLR: step ", steps, " of ", total_,
              "; a cycle has as many steps as total_steps says");
  const double first = max_ / options_.div_factor;
  return between(steps, first, max_, first / options_.final_div_factor);
}

void OneCycleLR::set_others(int64_t steps) {
  if (!options_.cycle_momentum) return;
  const double most = options_.max_momentum;
  for (double* momentum : optimizer().momenta())
    *momentum = between(steps, most, options_.base_momentum, most);
}

SWALR::SWALR(Optimizer& optimizer, double swa_lr, int64_t anneal_epochs, Anneal anneal_strategy)
    : Schedule(optimizer), last_(swa_lr), epochs_(anneal_epochs), strategy_(anneal_strategy) {
  VITRO_CHECK(anneal_epochs >= 0, "SWALR: anneal_epochs must not be negative, got ", anneal_epochs);
  set_steps(0);
}
double SWALR::rate(double base, int64_t steps) const {
  if (steps >= epochs_) return last_;
  const double share = static_cast<double>(steps) / static_cast<double>(epochs_);
  return annealed(strategy_, base, last_, share);
}

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, PlateauOptions options)
    : optimizer_(optimizer), options_(options) {
  VITRO_CHECK(options.factor < 1, "ReduceLROnPlateau: factor must be less than 1, got ",
              options.factor);
  const double worst = std::numeric_limits<double>::infinity();
  state_.best = options.maximize ? -worst : worst;
}

void ReduceLROnPlateau::step(double measure) {
  const PlateauOptions& o = options_;
  const double sense = o.maximize ? 1 : -1;
  const double least = o.threshold_is_absolute ? state_.best + sense * o.threshold
                                               : state_.best * (1 + sense * o.threshold);
  if (o.maximize ? measure > least : measure < least) {
    state_.best = measure;
    state_.bad_steps = 0;
  } else {
    ++state_.bad_steps;
  }
  if (state_.cooldown > 0) {
    --state_.cooldown;
    state_.bad_steps = 0;
  }
  if (state_.bad_steps <= o.patience) return;
  for (double* rate : optimizer_.learning_rates()) {
    const double next = std::max(*rate * o.factor, o.min_lr);
    if (*rate - next > o.eps) *rate = next;
  }
  state_.cooldown = o.cooldown;
  state_.bad_steps = 0;
}

}  // namespace vitro::optim
