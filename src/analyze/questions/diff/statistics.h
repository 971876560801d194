// Whether two samples differ by more than chance.
//   Sample before, after;
//   before.add(12.1);  …
//   const Comparison c = compare(before, after);
//   if (c.p < 0.05) …   // c.difference ± c.half_width
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace vitro::analyze {

// Count, mean and variance, updated without storing the numbers (Welford).
class Sample {
 public:
  void add(double number);
  int64_t count() const { return count_; }
  double mean() const { return mean_; }
  // Of the population that it is drawn from; 0 with fewer than two numbers.
  double variance() const { return count_ > 1 ? squares_ / static_cast<double>(count_ - 1) : 0; }

 private:
  int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

// Welch's t test (Biometrika 34, 1947): two means, variances not assumed equal.
struct Comparison {
  double difference = 0;  // of the means, after - before
  // The probability of a difference at least as large by chance alone; NaN if a sample has fewer
  // than two values.
  double p = std::numeric_limits<double>::quiet_NaN();
  double half_width = 0;  // of the 95 % confidence interval of the difference
};
Comparison compare(const Sample& before, const Sample& after);

// Adjusts each p for the number of tests: the smallest false discovery rate at which it is
// significant (Benjamini and Hochberg 1995).  NaN is not a test and stays.
std::vector<double> false_discovery_rates(const std::vector<double>& p);

// P(|T| > t) of Student's t; the degrees of freedom need not be an integer.
double student_two_sided(double t, double degrees);

}  // namespace vitro::analyze
