// Poisson and binomial numbers, drawn by trials; see rejection.h.
#include "ops/rejection.h"

#include <cmath>
#include <limits>

#include "vitro/base/error.h"

namespace vitro::ops {
namespace {

// log(x!). (std::lgamma writes a global variable.)
double log_factorial(double x) {
  int sign = 0;
  return ::lgamma_r(x + 1, &sign);
}

// A trial of either method: u in [-1/2, 1/2) and v in [0, 1), and the distance of u from the ends
// of its interval. The number that is tried is a ratio of uniform numbers by a table mountain with
// the coefficients a and b.
struct Trial {
  double u, v, from_end;
  explicit Trial(Units unit) : u(unit() - 0.5), v(unit()), from_end(0.5 - std::abs(u)) {}
  double number(double a, double b, double center) const {
    return std::floor((2 * a / from_end + b) * u + center);
  }
  double steepness(double a, double b) const { return a / (from_end * from_end) + b; }
};

// The number of uniform numbers whose product stays above e^-rate.
double by_products(double rate, Units unit) {
  const double least = std::exp(-rate);
  double count = 0;
  for (double product = unit(); product > least; product *= unit()) ++count;
  return count;
}

// Algorithm PTRS.
double by_rejection(double rate, Units unit) {
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double log_scale = std::log(1.1239 + 1.1328 / (b - 3.4)), log_rate = std::log(rate);
  const double inside = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const Trial trial(unit);
    const double k = trial.number(a, b, rate + 0.43);
    if (trial.from_end >= 0.07 && trial.v <= inside) return k;
    if (k < 0 || (trial.from_end < 0.013 && trial.v > trial.from_end)) continue;
    if (std::log(trial.v) + log_scale - std::log(trial.steepness(a, b)) <=
        k * log_rate - rate - log_factorial(k))
      return k;
  }
}

// How often the gap between successes, a geometric number, fits into what is left of the trials.
double by_gaps(double count, double p, Units unit) {
  const double log_failure = std::log1p(-p);
  double successes = 0, used = 0;
  while (true) {
    used += std::ceil(std::log(unit()) / log_failure);
    if (used > count) return successes;
    ++successes;
  }
}

// Algorithm BTRS.
double by_rejection(double count, double p, Units unit) {
  const double odds = p / (1 - p), deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double alpha = (2.83 + 5.1 / b) * deviation, mode = std::floor((count + 1) * p);
  const double most = log_factorial(mode) + log_factorial(count - mode);
  while (true) {
    const Trial trial(unit);
    const double k = trial.number(a, b, count * p + 0.5);
    if (k < 0 || k > count) continue;
    if (trial.from_end >= 0.07 && trial.v <= 0.92 - 4.2 / b) return k;
    const double density =
        most - log_factorial(k) - log_factorial(count - k) + (k - mode) * std::log(odds);
    if (std::log(trial.v * alpha / trial.steepness(a, b)) <= density) return k;
  }
}

constexpr double expected = 10;  // fewer events are counted one by one

}  // namespace

double poisson_number(double rate, Units unit) {
  VITRO_CHECK(rate >= 0, "poisson: rates must not be negative, got ", rate);
  if (rate == 0 || std::isinf(rate)) return rate;
  return rate < expected ? by_products(rate, unit) : by_rejection(rate, unit);
}

double binomial_number(double count, double p, bool in_single, Units unit) {
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1 && !std::isnan(count)) return count;
  if (std::isnan(p) || !std::isfinite(count)) return std::numeric_limits<double>::quiet_NaN();
  const double rarer = p <= 0.5 ? p : 1 - p, mean = count * rarer;
  const bool are_few = (in_single ? static_cast<float>(mean) : mean) < expected;
  const double events = are_few ? by_gaps(count, rarer, unit) : by_rejection(count, rarer, unit);
  return p <= 0.5 ? events : count - events;
}

}  // namespace vitro::ops
