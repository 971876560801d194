// Every elementary function, compared with the C library in long double, on every instruction set
// of this machine. The environment variable VITRO_SAMPLES sets the number of samples (20000).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "machine_versions.h"
#include "vitro/core/functions.h"

namespace vitro::kernels_test {
namespace {

using Long = long double;

// The documented error bounds: at most 2 ulp for every function.
struct Bound {
  double f32_ulp, f64_ulp;
};
#define BOUND(name, operands, on_integers, cost, f32_ulp, f64_ulp) {#name, {f32_ulp, f64_ulp}},
const std::map<std::string, Bound> bounds = {VITRO_SCALAR_FUNCTIONS(BOUND)};
#undef BOUND

using Truth = Long (*)(Long x, Long y);
const std::map<std::string, Truth> truths = {
    {"exp", [](Long x, Long) { return expl(x); }},
    {"exp2", [](Long x, Long) { return exp2l(x); }},
    {"expm1", [](Long x, Long) { return expm1l(x); }},
    {"sigmoid", [](Long x, Long) { return 1 / (1 + expl(-x)); }},
    {"log", [](Long x, Long) { return logl(x); }},
    {"log2", [](Long x, Long) { return log2l(x); }},
    {"log10", [](Long x, Long) { return log10l(x); }},
    {"log1p", [](Long x, Long) { return log1pl(x); }},
    {"sin", [](Long x, Long) { return sinl(x); }},
    {"cos", [](Long x, Long) { return cosl(x); }},
    {"tan", [](Long x, Long) { return tanl(x); }},
    {"asin", [](Long x, Long) { return asinl(x); }},
    {"acos", [](Long x, Long) { return acosl(x); }},
    {"atan", [](Long x, Long) { return atanl(x); }},
    {"atan2", [](Long x, Long y) { return atan2l(x, y); }},
    {"sinh", [](Long x, Long) { return sinhl(x); }},
    {"cosh", [](Long x, Long) { return coshl(x); }},
    {"tanh", [](Long x, Long) { return tanhl(x); }},
    {"asinh", [](Long x, Long) { return asinhl(x); }},
    {"acosh", [](Long x, Long) { return acoshl(x); }},
    {"atanh", [](Long x, Long) { return atanhl(x); }},
    {"erf", [](Long x, Long) { return erfl(x); }},
    {"erfc", [](Long x, Long) { return erfcl(x); }},
    {"pow", [](Long x, Long y) { return powl(x, y); }},
    {"sqrt", [](Long x, Long) { return sqrtl(x); }},
    {"rsqrt", [](Long x, Long) { return 1 / sqrtl(x); }},
    {"floor", [](Long x, Long) { return floorl(x); }},
    {"ceil", [](Long x, Long) { return ceill(x); }},
    {"trunc", [](Long x, Long) { return truncl(x); }},
    {"round", [](Long x, Long) { return rintl(x); }},
    {"fmod", [](Long x, Long y) { return fmodl(x, y); }},
};

// The error in units in the last place of the true result; huge if NaN, infinity or the sign of
// zero differ.
template <class T>
double ulps(T got, Long want) {
  T rounded = T(want);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e30;
  if (std::isinf(rounded) || std::isinf(got)) {
    bool beside =
        std::isinf(rounded) && got == std::copysign(std::numeric_limits<T>::max(), rounded);
    return got == rounded ? 0 : beside ? 1 : 1e29;
  }
  if (rounded == 0 && got == rounded && std::signbit(got) != std::signbit(rounded)) return 1e28;
  int exponent;
  frexpl(want, &exponent);
  constexpr int digits = std::numeric_limits<T>::digits;
  Long unit = ldexpl(1, std::max(exponent - digits, std::numeric_limits<T>::min_exponent - digits));
  return double(fabsl(Long(got) - want) / unit);
}

// Random bit patterns, random numbers in several ranges, and edge cases.
template <class T, class Word>
std::vector<T> samples() {
  const char* wish = std::getenv("VITRO_SAMPLES");
  int count = wish ? std::atoi(wish) : 20000;
  std::mt19937_64 random(7);
  std::vector<T> v;
  for (int i = 0; i < count; ++i) {
    Word word = Word(random());
    T x;
    std::memcpy(&x, &word, sizeof x);
    v.push_back(x);
    for (double range : {1e-8, 1e-3, 1.0, 10.0, 100.0, 800.0, 1e5}) {
      v.push_back(T(std::uniform_real_distribution<double>(-range, range)(random)));
    }
    v.push_back(T(1 + std::uniform_real_distribution<double>(-1e-3, 1e-3)(random)));
  }
  for (double x : {0.0,        1.0,    0.5,    1.5,      2.5,
                   2.0,        1e-320, 1e-40,  HUGE_VAL, std::nan(""),
                   88.72,      88.73,  87.3,   103.9,    104.0,
                   709.78,     709.79, 745.1,  745.2,    708.4,
                   3.4e38,     1e308,  1e22,   1e300,    6381956970095103.0 * 0x1p797,
                   10.05,      26.5,   27.2,   27.23,    0.41421356,
                   2.41421356, 0.8,    1.5468, 26.175,   0.502}) {
    v.push_back(T(x));
    v.push_back(T(-x));
  }
  return v;
}

// Second operands: other samples, small integers, numbers of moderate size, and the first operand.
template <class T>
std::vector<T> partners(const std::vector<T>& x) {
  std::mt19937_64 random(3);
  std::vector<T> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    switch (i % 4) {
      case 0:
        y[i] = x[random() % x.size()];
        break;
      case 1:
        y[i] = T(int(random() % 41) - 20);
        break;
      case 2:
        y[i] = T(std::uniform_real_distribution<double>(-10, 10)(random));
        break;
      default:
        y[i] = x[i];
    }
  }
  return y;
}

template <class T>
void expect_close(const Function<T>& f, Truth truth, double limit, const std::vector<T>& x,
                  const std::vector<T>& y, const std::vector<T>& got) {
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double distance = ulps<T>(got[i], truth(x[i], y[i]));
    if (distance > worst) worst = distance, at = i;
  }
  testing::Test::RecordProperty(f.name, std::to_string(worst));
  EXPECT_LE(worst, limit) << f.name << "(" << x[at] << ", " << y[at] << ") gives " << got[at]
                          << ", true is " << truth(x[at], y[at]);
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

// Expects the last version's results to be within the bounds, and the others to give the same bits.
template <class T, class Word>
void check(const Function<T>* Functions::* list, double Bound::* limit) {
  std::vector<T> x = samples<T, Word>(), y = partners(x), first(x.size()), other(x.size());
  std::vector<Version> all = versions();
  const Function<T>* functions = all.back().functions->*list;
  for (size_t f = 0; functions[f].name; ++f) {
    functions[f].run(x.data(), y.data(), first.data(), long(x.size()));
    auto truth = truths.find(functions[f].name);
    if (truth != truths.end())
      expect_close(functions[f], truth->second, bounds.at(truth->first).*limit, x, y, first);
    for (size_t v = 0; v + 1 < all.size(); ++v) {
      (all[v].functions->*list)[f].run(x.data(), y.data(), other.data(), long(x.size()));
      size_t i = 0;
      while (i < x.size() && same(first[i], other[i])) ++i;
      if (i == x.size()) continue;
      ADD_FAILURE() << functions[f].name << "(" << x[i] << ", " << y[i] << "): " << first[i]
                    << " on " << all.back().name << ", " << other[i] << " on " << all[v].name;
    }
  }
}

TEST(Elementary, f32_is_near_the_truth_and_the_same_everywhere) {
  check<float, uint32_t>(&Functions::f32, &Bound::f32_ulp);
}

TEST(Elementary, f64_is_near_the_truth_and_the_same_everywhere) {
  check<double, uint64_t>(&Functions::f64, &Bound::f64_ulp);
}

// Every function of the list is in `truths`, or has its own test below or in parts.kernel.cpp.
TEST(Elementary, every_function_is_compared) {
  const std::set<std::string> elsewhere = {
      "fma", "abs", "remainder", "floor_div", "trunc_div", "minimum", "maximum", "isnan", "isinf"};
  for (const auto& [name, bound] : bounds) {
    EXPECT_NE(truths.contains(name), elsewhere.contains(name)) << name;
    EXPECT_LE(std::max(bound.f32_ulp, bound.f64_ulp), 2) << name;
  }
}

double one(const std::string& name, double x, double y) {
  const Function<double>* f = versions().back().functions->f64;
  while (f->name && f->name != name) ++f;
  double out = 0;
  if (f->name) f->run(&x, &y, &out, 1);
  return out;
}

// As in Python's % and //, torch.remainder and torch.floor_divide.
TEST(Elementary, remainders_have_the_sign_of_the_divisor) {
  EXPECT_EQ(one("remainder", 7, 3), 1);
  EXPECT_EQ(one("remainder", -7, 3), 2);
  EXPECT_EQ(one("remainder", 7, -3), -2);
  EXPECT_EQ(one("remainder", -7, -3), -1);
  EXPECT_EQ(one("remainder", 5.5, HUGE_VAL), 5.5);
  EXPECT_TRUE(std::isnan(one("remainder", 1, 0)));
  EXPECT_EQ(one("floor_div", 7, 3), 2);
  EXPECT_EQ(one("floor_div", -7, 3), -3);
  EXPECT_EQ(one("floor_div", 7, -3), -3);
  EXPECT_EQ(one("floor_div", 1, 0.1), 9);
  EXPECT_EQ(one("floor_div", 1, 0), HUGE_VAL);
}

TEST(Elementary, extremes_spread_or_ignore_na_n) {
  double nan = std::nan("");
  EXPECT_TRUE(std::isnan(one("maximum", nan, 1)) && std::isnan(one("maximum", 1, nan)));
  EXPECT_TRUE(std::isnan(one("minimum", nan, 1)) && std::isnan(one("minimum", 1, nan)));
  EXPECT_EQ(one("fmax", nan, 1), 1);
  EXPECT_EQ(one("fmax", 1, nan), 1);
  EXPECT_EQ(one("fmin", 2, 1), 1);
  EXPECT_EQ(one("maximum", 2, 1), 2);
}

}  // namespace
}  // namespace vitro::kernels_test
