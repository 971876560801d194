// Comparison of samples: the distribution of t, its quantiles, and corrections for many
// comparisons.
#include "analyze/questions/diff/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/sort_list.h"

namespace vitro::analyze {
namespace {

// The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method.
double beta_fraction(double x, double a, double b) {
  constexpr double least = 1e-300, enough = 1e-15;
  const auto away_from_zero = [](double v) { return std::abs(v) < least ? least : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), out = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double step : {even, odd}) {
      d = 1 / away_from_zero(1 + step * d);
      c = away_from_zero(1 + step / c);
      factor *= d * c;
    }
    out *= factor;
    if (std::abs(factor - 1) < enough) break;
  }
  return out;
}

// I_x(a, b)
double regular_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(1 - x, b, a) / b;
}

// The two-sided 5 % quantile of t.
double student_quantile(double degrees) {
  double low = 0, high = 1;
  while (student_two_sided(high, degrees) > 0.05 && high < 1e9) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_two_sided(middle, degrees) > 0.05 ? low : high) = middle;
  }
  return high;
}

}  // namespace

void Sample::add(double number) {
  ++count_;
  const double before = number - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (number - mean_);
}

double student_two_sided(double t, double degrees) {
  return regular_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

Comparison compare(const Sample& before, const Sample& after) {
  Comparison out;
  out.difference = after.mean() - before.mean();
  if (before.count() < 2 || after.count() < 2) return out;
  const double a = before.variance() / static_cast<double>(before.count());
  const double b = after.variance() / static_cast<double>(after.count());
  if (a + b <= 0) {
    out.p = out.difference == 0 ? 1 : 0;
    return out;
  }
  const double degrees = (a + b) * (a + b) /
                         (a * a / static_cast<double>(before.count() - 1) +
                          b * b / static_cast<double>(after.count() - 1));
  out.p = student_two_sided(out.difference / std::sqrt(a + b), degrees);
  out.half_width = student_quantile(degrees) * std::sqrt(a + b);
  return out;
}

std::vector<double> false_discovery_rates(const std::vector<double>& p) {
  std::vector<size_t> order;
  for (size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  sort_list(order, {}, [&](size_t i) { return p[i]; });
  std::vector<double> out = p;
  double least = 1;
  for (size_t rank = order.size(); rank-- > 0;) {
    const size_t i = order[rank];
    least =
        std::min(least, p[i] * static_cast<double>(order.size()) / static_cast<double>(rank + 1));
    out[i] = least;
  }
  return out;
}

}  // namespace vitro::analyze
