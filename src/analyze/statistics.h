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

// Count, mean and variance of numbers, kept without the numbers (Welford).
class Sample {
 public:
  void add(double number);
  int64_t count() const { return count_; }
  double mean() const { return mean_; }
  // Of the population that it is taken from; 0 of fewer than two numbers.
  double variance() const { return count_ > 1 ? squares_ / static_cast<double>(count_ - 1) : 0; }

 private:
  int64_t count_ = 0;
  double mean_ = 0, squares_ = 0;
};

// Welch's t test (Biometrika 34, 1947): two means, variances not assumed to be the same.
struct Comparison {
  double difference = 0;  // of the means, after - before
  // The probability of a difference at least as large by chance alone; not a number where a sample
  // has fewer than two values.
  double p = std::numeric_limits<double>::quiet_NaN();
  double half_width = 0;  // of the interval that holds the difference with 95 %
};
Comparison compare(const Sample& before, const Sample& after);

// Each p raised to what it is worth among as many tests: the least rate of false discoveries at
// which it counts (Benjamini and Hochberg 1995).  What is not a number is no test and stays.
std::vector<double> false_discovery_rates(const std::vector<double>& p);

// P(|T| > t) of Student's t with so many degrees of freedom, which need not be whole.
double student_two_sided(double t, double degrees);

}  // namespace vitro::analyze
