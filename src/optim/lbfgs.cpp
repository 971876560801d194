// Limited-memory BFGS: the direction by two loops over the last steps (Nocedal and Wright,
// Numerical Optimization, algorithm 7.4), the step by a search for Wolfe's strong conditions with
// cubic interpolation (algorithms 3.5 and 3.6, with minFunc's safeguards, as in PyTorch).
#include "vitro/optim/lbfgs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "vitro/base/error.h"
#include "vitro/core/interpreter.h"
#include "vitro/ops/all.h"

namespace vitro::optim {
namespace {

double dot_of(const Tensor& a, const Tensor& b) {
  return sum(a * b).item<double>();
}
double largest(const Tensor& t) {
  return amax(abs(t)).item<double>();
}
double as_double(const Tensor& t) {
  return detach(t).item().as_double();
}

// The minimum of the cubic through two points with their slopes, within bounds; the middle of the
// bounds if there is none.
double minimum_of_cubic(double x1, double f1, double g1, double x2, double f2, double g2,
                        double low, double high) {
  const double d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2), square = d1 * d1 - g1 * g2;
  if (!(square >= 0)) return (low + high) / 2;
  const double d2 = std::sqrt(square);
  const double at = x1 <= x2 ? x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
                             : x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2));
  return std::min(std::max(at, low), high);
}

}  // namespace

LBFGS::LBFGS(Parameters parameters, LBFGSOptions options)
    : parameters_(std::move(parameters)), options_(options) {
  VITRO_CHECK(!parameters_.empty(), "LBFGS: there are no parameters");
  for (const Tensor* parameter : parameters_)
    VITRO_CHECK(parameter && parameter->defined() && parameter->dtype() == parameters_[0]->dtype(),
                "LBFGS: parameters must be defined and of one dtype");
}

void LBFGS::zero_grad() {
  for (Tensor* parameter : parameters_) parameter->set_grad({});
}

Tensor LBFGS::gradient() const {
  std::vector<Tensor> parts;
  for (const Tensor* parameter : parameters_) {
    const Tensor one = parameter->grad();
    parts.push_back(reshape(one.defined() ? one : zeros_like(detach(*parameter)), {-1}));
  }
  return cat(parts, 0);
}

std::vector<Tensor> LBFGS::copies() const {
  std::vector<Tensor> out;
  for (const Tensor* parameter : parameters_) out.push_back(clone(detach(*parameter)));
  return out;
}

void LBFGS::restore(const std::vector<Tensor>& values) {
  for (size_t i = 0; i < values.size(); ++i) (void)copy_(*parameters_[i], values[i]);
}

void LBFGS::move(double length, const Tensor& along) {
  int64_t at = 0;
  for (Tensor* parameter : parameters_) {
    const int64_t count = parameter->numel().hint();
    (void)add_(*parameter, reshape(slice(along, 0, at, at + count), parameter->sizes()) * length);
    at += count;
  }
}

LBFGS::Point LBFGS::evaluate(FunctionRef<Tensor()> closure) {
  const EnableGrad recorded;
  const Tensor loss = closure();
  const NoGrad unrecorded;
  return {as_double(loss), gradient()};
}

void LBFGS::remember(const Tensor& step, const Tensor& change) {
  const double product = dot_of(change, step);
  if (product <= 1e-10) return;
  if (steps_.size() == options_.history_size) {
    steps_.pop_front();
    changes_.pop_front();
    inverses_.pop_front();
  }
  steps_.push_back(step);
  changes_.push_back(change);
  inverses_.push_back(1 / product);
  scale_ = product / dot_of(change, change);
}

Tensor LBFGS::direction() const {
  Tensor q = neg(previous_);
  std::vector<double> weights(steps_.size());
  for (size_t i = steps_.size(); i-- > 0;) {
    weights[i] = dot_of(steps_[i], q) * inverses_[i];
    q = q - changes_[i] * weights[i];
  }
  q = q * scale_;
  for (size_t i = 0; i < steps_.size(); ++i)
    q = q + steps_[i] * (weights[i] - dot_of(changes_[i], q) * inverses_[i]);
  return q;
}

// Finds a step along a direction that satisfies Wolfe's strong conditions.
class LBFGS::Search {
 public:
  Search(LBFGS& owner, FunctionRef<Tensor()> closure, const Tensor& along, const Probe& start)
      : owner_(owner), closure_(closure), along_(along), start_(start), values_(owner.copies()) {}

  Probe find(double first) {
    bracket(first);
    if (!found_) narrow();
    return found_ ? *found_ : ends_[low_];
  }
  int64_t evaluations() const { return evaluations_; }

 private:
  static constexpr double decrease = 1e-4, curvature = 0.9;
  static constexpr int most = 25;

  Probe probe(double at) {
    owner_.move(at, along_);
    Point point = owner_.evaluate(closure_);
    owner_.restore(values_);
    ++evaluations_;
    const double slope = dot_of(point.gradient, along_);
    return {at, point.loss, std::move(point.gradient), slope};
  }
  bool is_too_high(const Probe& p) const {
    return p.loss > start_.loss + decrease * p.at * start_.slope;
  }
  bool is_flat(const Probe& p) const { return std::abs(p.slope) <= -curvature * start_.slope; }

  // Goes on until a point is found, or two with one between them.
  void bracket(double first) {
    Probe before = start_, now = probe(first);
    for (; tries_ < most; ++tries_) {
      if (is_too_high(now) || (tries_ > 1 && now.loss >= before.loss)) return set(before, now);
      if (is_flat(now)) {
        found_ = now;
        return;
      }
      if (now.slope >= 0) return set(before, now);
      const double next =
          minimum_of_cubic(before.at, before.loss, before.slope, now.at, now.loss, now.slope,
                           now.at + 0.01 * (now.at - before.at), now.at * 10);
      before = std::exchange(now, probe(next));
    }
    set(start_, now);
  }
  void set(const Probe& a, const Probe& b) {
    ends_ = {a, b};
    order();
  }
  void order() { low_ = ends_[0].loss <= ends_[1].loss ? 0 : 1; }

  void narrow() {
    const double size = largest(along_);
    bool is_slow = false;
    while (!found_ && tries_ < most) {
      const auto [left, right] = std::minmax(ends_[0].at, ends_[1].at);
      if ((right - left) * size < owner_.options_.tolerance_change) return;
      double at = minimum_of_cubic(ends_[0].at, ends_[0].loss, ends_[0].slope, ends_[1].at,
                                   ends_[1].loss, ends_[1].slope, left, right);
      const double margin = 0.1 * (right - left);
      if (std::min(right - at, at - left) < margin) {
        if (is_slow || at >= right || at <= left) {
          at = std::abs(at - right) < std::abs(at - left) ? right - margin : left + margin;
          is_slow = false;
        } else {
          is_slow = true;
        }
      } else {
        is_slow = false;
      }
      take(probe(at));
      ++tries_;
    }
  }
  void take(const Probe& p) {
    Probe &low = ends_[low_], &high = ends_[1 - low_];
    if (is_too_high(p) || p.loss >= low.loss) {
      high = p;
      return order();
    }
    if (is_flat(p)) {
      found_ = p;
    } else if (p.slope * (high.at - low.at) >= 0) {
      high = low;
    }
    low = p;
  }

  LBFGS& owner_;
  FunctionRef<Tensor()> closure_;
  const Tensor& along_;
  const Probe& start_;
  const std::vector<Tensor> values_;
  std::array<Probe, 2> ends_;
  size_t low_ = 0;
  std::optional<Probe> found_;
  int tries_ = 0;
  int64_t evaluations_ = 0;
};

Tensor LBFGS::step(FunctionRef<Tensor()> closure) {
  const NoGrad unrecorded;
  Tensor first_loss;
  const auto once = [&] {
    first_loss = closure();
    return first_loss;
  };
  Point now = evaluate(once);
  if (largest(now.gradient) <= options_.tolerance_grad) return first_loss;
  const int64_t most = options_.max_eval > 0 ? options_.max_eval : options_.max_iter * 5 / 4;
  int64_t evaluations = 1;
  for (int64_t i = 0; i < options_.max_iter;) {
    ++i;
    if (++iterations_ == 1) {
      direction_ = neg(now.gradient);
    } else {
      remember(direction_ * length_, now.gradient - previous_);
      previous_ = now.gradient;
      direction_ = direction();
    }
    previous_ = now.gradient;
    previous_loss_ = now.loss;
    const double first = std::min(1.0, 1.0 / sum(abs(now.gradient)).item<double>());
    length_ = (iterations_ == 1 ? first : 1.0) * options_.lr;
    const double slope = dot_of(now.gradient, direction_);
    if (slope > -options_.tolerance_change) break;
    if (options_.line_search) {
      const Probe start{0, now.loss, now.gradient, slope};
      Search search(*this, closure, direction_, start);
      const Probe found = search.find(length_);
      length_ = found.at;
      move(length_, direction_);
      now = {found.loss, found.gradient};
      evaluations += search.evaluations();
    } else {
      move(length_, direction_);
      if (i == options_.max_iter) break;
      now = evaluate(closure);
      ++evaluations;
    }
    if (evaluations >= most || largest(now.gradient) <= options_.tolerance_grad) break;
    if (largest(direction_) * std::abs(length_) <= options_.tolerance_change) break;
    if (std::abs(now.loss - previous_loss_) < options_.tolerance_change) break;
  }
  return first_loss;
}

}  // namespace vitro::optim
