#include "analyze/questions/diff/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vitro::analyze {
namespace {

Sample sample(std::initializer_list<double> numbers) {
  Sample out;
  for (const double n : numbers) out.add(n);
  return out;
}

// scipy.stats.t.sf(t, degrees) * 2
TEST(Statistics, students_distribution_is_that_of_scipy) {
  EXPECT_NEAR(student_two_sided(2.0, 4.0), 0.11611652351681556, 1e-12);
  EXPECT_NEAR(student_two_sided(0.5, 2.5), 0.6576979198697148, 1e-9);
  EXPECT_NEAR(student_two_sided(12.0, 10.0), 2.921408824769984e-07, 1e-15);
  EXPECT_DOUBLE_EQ(student_two_sided(0.0, 3.0), 1.0);
}

// scipy.stats.ttest_ind(b, a, equal_var=False), its p and the half of confidence_interval(0.95)
TEST(Statistics, welchs_test_is_that_of_scipy) {
  const Comparison c =
      compare(sample({10.1, 9.8, 10.4, 10.0}), sample({11.0, 11.9, 10.7, 11.3, 12.4}));
  EXPECT_NEAR(c.difference, 1.385, 1e-12);
  EXPECT_NEAR(c.p, 0.007884254868963502, 1e-10);
  EXPECT_NEAR(c.half_width, 0.8418185296798666, 1e-9);
}

TEST(Statistics, of_what_never_varies_any_difference_is_sure) {
  EXPECT_EQ(compare(sample({5, 5}), sample({5, 5})).p, 1);
  EXPECT_EQ(compare(sample({5, 5}), sample({6, 6})).p, 0);
  EXPECT_TRUE(std::isnan(compare(sample({5}), sample({6, 6})).p));
}

// scipy.stats.false_discovery_control
TEST(Statistics, many_tests_are_worth_less_than_one) {
  const std::vector<double> rates =
      false_discovery_rates({0.01, 0.5, std::nan(""), 0.02, 0.03, 0.9});
  EXPECT_DOUBLE_EQ(rates[0], 0.05);
  EXPECT_DOUBLE_EQ(rates[1], 0.625);
  EXPECT_TRUE(std::isnan(rates[2]));
  EXPECT_DOUBLE_EQ(rates[3], 0.05);
  EXPECT_DOUBLE_EQ(rates[4], 0.05);
  EXPECT_DOUBLE_EQ(rates[5], 0.9);
}

}  // namespace
}  // namespace vitro::analyze
