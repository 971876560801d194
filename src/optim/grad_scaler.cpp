// The scale of losses: a tensor of the program, like the count of steps and what the gradients were
// found to have, so that a compiled step computes all of it.
#include "vitro/optim/grad_scaler.h"

#include <algorithm>

#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"
#include "vitro/ops/arithmetic.h"

namespace vitro::optim {
namespace {

Tensor is_not_finite(const Tensor& gradient) {
  return any(logical_not(isfinite(gradient)));
}

// A scale in f32 times a factor in f64, rounded once.
Tensor times(const Tensor& scale, double factor) {
  return to(to(scale, DType::f64) * factor, DType::f32);
}

}  // namespace

GradScaler::GradScaler(GradScalerOptions options) : options_(options) {
  VITRO_CHECK(options.growth_factor > 1, "GradScaler: growth_factor must be above 1, got ",
              options.growth_factor);
  VITRO_CHECK(options.backoff_factor < 1, "GradScaler: backoff_factor must be below 1, got ",
              options.backoff_factor);
  scale_ = full({}, options.init_scale, DType::f32);
  growth_tracker_ = full({}, 0, DType::i32);
}

Tensor GradScaler::scale(const Tensor& output) const {
  has_scaled_ = true;
  return is_enabled() ? mul(output, scale_) : output;
}

GradScaler::Seen* GradScaler::seen(const Optimizer& optimizer) {
  const auto found =
      std::ranges::find_if(seen_, [&](const Seen& one) { return one.optimizer == &optimizer; });
  return found == seen_.end() ? nullptr : &*found;
}

void GradScaler::unscale_(Optimizer& optimizer) {
  if (!is_enabled()) return;
  if (const Seen* known = seen(optimizer)) {
    VITRO_CHECK(known->stage == Stage::unscaled, "GradScaler::unscale_: called after step()");
    throw_error("GradScaler::unscale_: already called for this optimizer since the last update()");
  }
  VITRO_CHECK(has_scaled_,
              "GradScaler::unscale_: no loss was scaled; call scaler.scale(loss).backward() in "
              "place of loss.backward()");
  const NoGrad unrecorded;
  const Tensor inverse = to(reciprocal(to(scale_, DType::f64)), DType::f32);
  Tensor found;
  for (const Tensor* parameter : optimizer.parameters()) {
    const Tensor gradient = parameter->grad();
    if (!gradient.defined()) continue;
    VITRO_CHECK(gradient.dtype() != DType::f16,
                "GradScaler::unscale_: a gradient is f16, which may overflow as it is unscaled; "
                "keep the parameters in f32");
    const Tensor one = is_not_finite(gradient);
    found = found.defined() ? logical_or(found, one) : one;
    (void)mul_(gradient, inverse);
  }
  VITRO_CHECK(found.defined(), "GradScaler::unscale_: no parameter has a gradient");
  seen_.push_back({&optimizer, Stage::unscaled, found});
}

void GradScaler::step(Optimizer& optimizer) {
  if (!is_enabled()) return optimizer.step();
  if (!seen(optimizer)) unscale_(optimizer);
  Seen& known = *seen(optimizer);
  VITRO_CHECK(known.stage == Stage::unscaled,
              "GradScaler::step: already called for this optimizer since the last update()");
  optimizer.step_unless(known.found);
  known.stage = Stage::stepped;
}

void GradScaler::update() {
  if (!is_enabled()) return;
  VITRO_CHECK(!seen_.empty(), "GradScaler::update: no step() since the last update()");
  const NoGrad unrecorded;
  Tensor found = seen_[0].found;
  for (size_t i = 1; i < seen_.size(); ++i) found = logical_or(found, seen_[i].found);
  seen_.clear();
  const Tensor count = growth_tracker_ + 1, grown = times(scale_, options_.growth_factor);
  const Tensor is_time = eq(count, options_.growth_interval);
  const Tensor otherwise = where(logical_and(is_time, isfinite(grown)), grown, scale_);
  (void)copy_(scale_, where(found, times(scale_, options_.backoff_factor), otherwise));
  (void)copy_(growth_tracker_, where(logical_or(found, is_time), 0, count));
}

void GradScaler::update(double new_scale) {
  if (!is_enabled()) return;
  seen_.clear();
  (void)fill_(scale_, new_scale);
}

double GradScaler::get_scale() const {
  return is_enabled() ? scale_.item<double>() : 1;
}

GradScaler::State GradScaler::state_dict() const {
  return {scale_.item<double>(), options_.growth_factor, options_.backoff_factor,
          options_.growth_interval, growth_tracker_.item<int64_t>()};
}

void GradScaler::load_state_dict(const State& state) {
  options_.growth_factor = state.growth_factor;
  options_.backoff_factor = state.backoff_factor;
  options_.growth_interval = state.growth_interval;
  (void)fill_(scale_, state.scale);
  (void)fill_(growth_tracker_, state.growth_tracker);
}

std::vector<std::pair<std::string, Tensor*>> GradScaler::named_tensors() {
  return {{"scale", &scale_}, {"growth_tracker", &growth_tracker_}};
}

}  // namespace vitro::optim
