// Random numbers: their definition by Philox, the same eagerly and compiled, and their statistics.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <thread>

#include "error_of.h"
#include "vitro/compile/compile.h"
#include "vitro/core/generator.h"
#include "vitro/init.h"
#include "vitro/nn/layers.h"
#include "vitro/ops/activation_functions.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/parallel.h"

namespace vitro {
namespace {

struct Random : testing::Test {
  void SetUp() override { init(); }
  void TearDown() override { manual_seed(0); }
};

using Numbers = std::vector<double>;
Numbers values(const Tensor& t) {
  return to(t, DType::f64).to_vector<double>();
}

// `count` numbers in [0, 1) of the first call after manual_seed(seed), by the scalar code.
Numbers uniform_numbers(uint64_t seed, DType dtype, size_t count) {
  const int digits = dtype == DType::f32 ? 24 : dtype == DType::f16 ? 11 : 8;
  Numbers out;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t first = random_word(seed, 1, i), second = random_word(seed, 2, i);
    const bool two = dtype == DType::f64;
    const uint64_t bits =
        two ? (first % (1 << 26)) << 27 | second % (1 << 27) : first % (uint64_t{1} << digits);
    out.push_back(std::ldexp(static_cast<double>(bits), two ? -53 : -digits));
  }
  return out;
}

// On any number of threads the numbers are those of the scalar code.
TEST_F(Random, numbers_are_words_of_philox) {
  const uint64_t seed = 0xFEDCBA9876543210;
  auto fast = compile([](const Tensor& x) { return rand_like(x); });
  const int before = num_threads();
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    const Numbers want = uniform_numbers(seed, dtype, 100'001);
    const Tensor x = zeros({100'001}, dtype);
    for (const int threads : {1, 2}) {
      set_num_threads(threads);
      manual_seed(seed);
      EXPECT_TRUE(values(rand({100'001}, dtype)) == want) << name_of(dtype) << " " << threads;
      manual_seed(seed);
      EXPECT_TRUE(values(fast(x)) == want) << name_of(dtype) << " " << threads;
    }
  }
  set_num_threads(before);
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

// Whatever the loops that compute them: rows that begin inside of a block of four words, lanes that
// are not neighbours.
TEST_F(Random, numbers_depend_on_the_index_alone) {
  const auto check = [](const std::string& what, const Sizes& sizes, auto f) {
    auto fast = compile(f);
    manual_seed(4);
    const Tensor got = fast(zeros(sizes));
    manual_seed(4);
    EXPECT_EQ(values(got), values(f(zeros(sizes)))) << what;
  };
  for (const int64_t columns : {1, 2, 3, 5, 16, 30, 33, 64, 197}) {
    const Sizes sizes{7, columns};
    check(cat("rows of ", columns), sizes,
          [](const Tensor& x) { return softmax(add(x, rand_like(x)), -1); });
    check(cat("columns of ", columns), sizes,
          [](const Tensor& x) { return sum(add(x, rand_like(x)), {0}); });
    check(cat("transposed ", columns), sizes, [](const Tensor& x) {
      return add(contiguous(transpose(rand_like(x), 0, 1)), transpose(x, 0, 1));
    });
    check(cat("padded ", columns), sizes,
          [](const Tensor& x) { return constant_pad_nd(rand_like(x), {3, 2, 1, 0}, 5); });
    check(cat("part of ", columns), sizes,
          [](const Tensor& x) { return mul(slice(rand_like(x), 0, 1, 6, 2), 2); });
  }
  manual_seed(4);
  const Numbers in_rows = values(rand({7, 33}));
  EXPECT_EQ(in_rows, uniform_numbers(4, DType::f32, 7 * 33));
}

// Calls f four times after the same seed, eagerly and compiled, where all but the first call find
// the graph of the first.
template <class F>
void expect_same_numbers(F f, Generator generator) {
  auto fast = compile(f);
  const Tensor x = arange(0, 3000, 1, DType::f32);
  std::vector<Numbers> eager, compiled;
  manual_seed(3, generator);
  for (int call = 0; call < 4; ++call) eager.push_back(values(f(x)));
  const uint64_t next = take_random(0).counter;
  manual_seed(3, generator);
  for (int call = 0; call < 4; ++call) compiled.push_back(values(fast(x)));
  EXPECT_EQ(take_random(0).counter, next);
  EXPECT_EQ(eager, compiled);
  EXPECT_NE(compiled[0], compiled[1]);
  EXPECT_NE(compiled[2], compiled[3]);
  const CompiledReport report = fast.report();
  EXPECT_TRUE(report.recompiles.empty() && report.fallbacks.empty() && report.breaks.empty());
  // PyTorch's numbers alone are no graph.
  if (generator == Generator::philox) EXPECT_EQ(report.segments.size(), 1U);
}
template <class F>
void expect_same_numbers(F f) {
  for (const Generator one : {Generator::philox, Generator::mt19937}) expect_same_numbers(f, one);
}

TEST_F(Random, numbers_are_new_in_each_call_of_a_graph) {
  expect_same_numbers([](const Tensor& x) { return rand_like(x); });
  expect_same_numbers([](const Tensor& x) { return randn_like(x); });
  expect_same_numbers([](const Tensor& x) { return bernoulli(x, 0.25); });
  expect_same_numbers([](const Tensor& x) { return randint(-5, 1'000'000, x.sizes()); });
  expect_same_numbers([](const Tensor& x) { return randint(-5, int64_t{1} << 40, x.sizes()); });
  expect_same_numbers([](const Tensor& x) { return randperm(x.size(0)); });
  expect_same_numbers([](const Tensor& x) { return dropout(x, 0.25); });
  expect_same_numbers([](const Tensor& x) { return alpha_dropout(x, 0.25); });
  expect_same_numbers([](const Tensor& x) { return feature_dropout(view(x, {30, 100}), 0.25); });
  expect_same_numbers([](const Tensor& x) { return rrelu(sub(x, 1500), 0.125, 0.5, true); });
  expect_same_numbers([](const Tensor& x) { return normal(x, x); });
  expect_same_numbers([](const Tensor& x) { return exponential(x, 2); });
  expect_same_numbers([](const Tensor& x) { return cauchy_(clone(x)); });
  expect_same_numbers([](const Tensor& x) { return geometric(x, 0.25); });
  expect_same_numbers([](const Tensor& x) { return log_normal(x); });
  expect_same_numbers([](const Tensor& x) { return random(x); });
  expect_same_numbers([](const Tensor& x) { return multinomial(x, 20); });
  expect_same_numbers([](const Tensor& x) { return multinomial(x, 20, true); });
}

TEST_F(Random, ops_of_one_program_differ) {
  const auto two = [](const Tensor& x) { return rand_like(x) - rand_like(x); };
  expect_same_numbers(two);
  const Numbers difference = values(two(zeros({3000})));
  EXPECT_LT(std::ranges::count(difference, 0.0), 3);
}

TEST_F(Random, sizes_may_vary) {
  const auto f = [](const Tensor& x) { return add(x, rand_like(x)); };
  auto fast = compile(f);
  for (const int64_t n : {100, 200, 77, 4000, 0}) {
    const Tensor x = arange(0, n, 1, DType::f32);
    manual_seed(n);
    const Numbers eager = values(f(x));
    manual_seed(n);
    EXPECT_EQ(values(fast(x)), eager) << n;
  }
}

// Threads that draw at the same time do not draw the same numbers.
TEST_F(Random, threads_share_the_mersenne_twister) {
  constexpr int64_t count = 10'000;
  manual_seed(5, Generator::mt19937);
  Numbers want = values(rand({4 * count}, DType::f64));
  manual_seed(5, Generator::mt19937);
  std::array<Numbers, 4> parts;
  {
    std::vector<std::jthread> threads;
    for (Numbers& part : parts)
      threads.emplace_back([&part] { part = values(rand({count}, DType::f64)); });
  }
  Numbers got;
  for (const Numbers& part : parts) got.insert(got.end(), part.begin(), part.end());
  std::ranges::sort(want);
  std::ranges::sort(got);
  EXPECT_TRUE(got == want);
}

// A seed and a call number of more than 32 bits are used whole.
TEST_F(Random, all_bits_of_the_seed_count) {
  manual_seed(1);
  const Numbers one = values(rand({8}));
  manual_seed(1 + (uint64_t{1} << 32));
  EXPECT_NE(values(rand({8})), one);
  manual_seed(1);
  (void)take_random(uint64_t{1} << 34);
  EXPECT_NE(values(rand({8})), one);
}

TEST_F(Random, a_frozen_call_is_refused) {
  auto fast = compile([](const Tensor& x) { return add(x, rand_like(x)); },
                      CompileOptions{.fullgraph = true, .frozen = true});
  EXPECT_NE(error_of([&] { return fast(zeros({8})); }).find("V0102"), std::string::npos);
}

// ---- statistics, on fixed seeds ----

// The Kolmogorov-Smirnov statistic, times the root of the number of samples; 1.63 is the quantile
// of 0.99, 1.95 that of 0.999.
template <class Distribution>
double distance(Numbers samples, Distribution distribution) {
  std::ranges::sort(samples);
  const auto n = static_cast<double>(samples.size());
  double most = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double at = distribution(samples[i]), rank = static_cast<double>(i);
    most = std::max({most, at - (rank / n), ((rank + 1) / n) - at});
  }
  return most * std::sqrt(n);
}

struct Moments {
  double mean, variance;
};
Moments moments(const Numbers& samples) {
  const auto n = static_cast<double>(samples.size());
  double sum = 0, squares = 0;
  for (const double x : samples) sum += x;
  for (const double x : samples) squares += (x - sum / n) * (x - sum / n);
  return {sum / n, squares / n};
}

constexpr int64_t many = 1'000'000;

TEST_F(Random, rand_is_uniform) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const uint64_t seed : {0, 1, 2}) {
      manual_seed(seed);
      const Numbers x = values(rand({many}, dtype));
      EXPECT_GE(std::ranges::min(x), 0);
      EXPECT_LT(std::ranges::max(x), 1);
      const Moments m = moments(x);  // four standard errors
      EXPECT_NEAR(m.mean, 0.5, 4 * std::sqrt(1.0 / 12 / many));
      EXPECT_NEAR(m.variance, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / many));
      EXPECT_LT(distance(x, [](double v) { return v; }), 1.95);
    }
  }
}

TEST_F(Random, randn_is_normal) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const uint64_t seed : {0, 1, 2}) {
      manual_seed(seed);
      const Numbers x = values(randn({many}, dtype));
      const Moments m = moments(x);
      EXPECT_NEAR(m.mean, 0, 4 * std::sqrt(1.0 / many));
      EXPECT_NEAR(m.variance, 1, 4 * std::sqrt(2.0 / many));
      EXPECT_LT(distance(x, [](double v) { return 0.5 * std::erfc(-v / std::numbers::sqrt2); }),
                1.95);
    }
  }
}

TEST_F(Random, randint_gives_each_number_equally_often) {
  manual_seed(0);
  std::array<double, 10> counts{};
  for (const int64_t x : randint(-3, 7, {many}).to_vector<int64_t>()) {
    ASSERT_TRUE(x >= -3 && x < 7) << x;
    ++counts[static_cast<size_t>(x + 3)];
  }
  double chi = 0;  // 27.9 is the quantile of 0.999 for nine degrees of freedom
  for (const double count : counts) chi += (count - many / 10) * (count - many / 10) / (many / 10);
  EXPECT_LT(chi, 27.9);
}

// Ranges above and below 2^31.
TEST_F(Random, randint_is_uniform) {
  for (const int64_t range : {int64_t{1'000'003}, int64_t{1} << 31, int64_t{3} << 32}) {
    manual_seed(0);
    const Numbers x = values(randint(-7, range - 7, {many}));
    EXPECT_GE(std::ranges::min(x), -7);
    EXPECT_LT(std::ranges::max(x), static_cast<double>(range) - 7);
    const auto size = static_cast<double>(range);
    EXPECT_LT(distance(x, [=](double v) { return (v + 7.5) / size; }), 1.95) << range;
  }
  EXPECT_EQ(values(randint(5, 6, {3})), Numbers(3, 5.0));
}

// Where a floating-point dtype lacks integers: only numbers that it has, and none outside.
TEST_F(Random, randint_of_a_dtype_with_gaps_stays_within_its_bounds) {
  manual_seed(0);
  const auto ends = [](const Tensor& t) {
    const Numbers x = values(t);
    return std::pair(std::ranges::min(x), std::ranges::max(x));
  };
  using Ends = std::pair<double, double>;
  EXPECT_EQ(ends(randint(0, 1000, {many}, DType::bf16)), Ends(0, 996));
  EXPECT_EQ(ends(randint(-1000, 5, {many}, DType::bf16)), Ends(-1000, 4));
  EXPECT_EQ(ends(randint(-1001, 1, {many}, DType::bf16)), Ends(-1000, 0));
  EXPECT_EQ(ends(randint(65000, 65505, {many}, DType::f16)), Ends(65024, 65504));
  EXPECT_EQ(ends(randint((1 << 24) + 1, (1 << 24) + 5, {many})),
            Ends((1 << 24) + 1, (1 << 24) + 4));
  EXPECT_EQ(ends(randint((1 << 24) + 1, (1 << 24) + 6, {many}, DType::f32)),
            Ends((1 << 24) + 2, (1 << 24) + 4));
  EXPECT_EQ(error_of([] { return randint((1 << 24) + 1, (1 << 24) + 2, {2}, DType::f32); }),
            "randint: f32 has no number from 16777217 to 16777217");
  EXPECT_EQ(error_of([] { return randint(0, 65506, {2}, DType::f16); }),
            "randint: 0 to 65505 are not all numbers of f16");
  const int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_LE(ends(randint(least, -1, {many}, DType::f64)).second, -1);
}

TEST_F(Random, exponential_and_its_kin_have_their_distributions) {
  manual_seed(0);
  const Tensor x = zeros({many}, DType::f64);
  const auto e = values(exponential(x, 2));
  EXPECT_GT(std::ranges::min(e), 0);
  EXPECT_LT(distance(e, [](double v) { return 1 - std::exp(-2 * v); }), 1.95);
  const auto c = values(cauchy(x, 1, 3));
  EXPECT_LT(distance(c, [](double v) { return 0.5 + std::atan((v - 1) / 3) / std::numbers::pi; }),
            1.95);
  const auto l = values(log_normal(x, 0.5, 0.25));
  EXPECT_LT(distance(l,
                     [](double v) {
                       return 0.5 * std::erfc((0.5 - std::log(v)) / (0.25 * std::numbers::sqrt2));
                     }),
            1.95);
  const auto n = values(normal(3, 0.5, {many}));
  EXPECT_LT(
      distance(n, [](double v) { return 0.5 * std::erfc((3 - v) / (0.5 * std::numbers::sqrt2)); }),
      1.95);
  const auto u = values(uniform(x, -2, 6));
  EXPECT_LT(distance(u, [](double v) { return (v + 2) / 8; }), 1.95);
}

// The chi-square statistic of counts.
double chi_square(const std::vector<double>& counts, const std::vector<double>& probabilities,
                  double n) {
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i)
    sum += std::pow(counts[i] - n * probabilities[i], 2) / (n * probabilities[i]);
  return sum;
}

TEST_F(Random, geometric_counts_trials) {
  manual_seed(0);
  const double p = 0.25;
  std::vector<double> counts(21), probabilities(21);
  for (size_t k = 0; k < 20; ++k) probabilities[k] = p * std::pow(1 - p, static_cast<double>(k));
  probabilities[20] = std::pow(1 - p, 20);
  for (const double x : values(geometric(zeros({many}, DType::i64), p))) {
    ASSERT_GE(x, 1);
    ++counts[static_cast<size_t>(std::min(x - 1, 20.0))];
  }
  EXPECT_LT(chi_square(counts, probabilities, many), 45.3);  // quantile of 0.999, 20 degrees
}

TEST_F(Random, multinomial_follows_its_weights) {
  manual_seed(0);
  const std::vector<double> weights{1, 0, 3, 0.5, 5.5, 0};
  const Tensor w = to(Tensor::from(weights, {6}), DType::f32);
  std::vector<double> counts(6);
  for (const double i : values(multinomial(w, many, true))) ++counts[static_cast<size_t>(i)];
  EXPECT_EQ(counts[1] + counts[5], 0);
  EXPECT_LT(chi_square({counts[0], counts[2], counts[3], counts[4]}, {0.1, 0.3, 0.05, 0.55}, many),
            16.3);  // quantile of 0.999, 3 degrees
  // The first of several without replacement has the same distribution.
  const Tensor drawn = multinomial(expand(w, {100'000, 6}), 4);
  std::vector<double> first(6);
  for (const double i : values(select(drawn, 1, 0))) ++first[static_cast<size_t>(i)];
  EXPECT_LT(chi_square({first[0], first[2], first[3], first[4]}, {0.1, 0.3, 0.05, 0.55}, 100'000),
            16.3);
  const Tensor in_order = sort(drawn, 1).first;
  EXPECT_EQ(values(amax(to(in_order, DType::f32), {0})), (Numbers{0, 2, 3, 4}));
  EXPECT_EQ(values(amin(to(in_order, DType::f32), {0})), (Numbers{0, 2, 3, 4}));
}

TEST_F(Random, randperm_has_each_number_once) {
  manual_seed(0);
  const Tensor p = randperm(10'000);
  EXPECT_EQ(values(sort(p).first), values(arange(10'000)));
  EXPECT_NE(values(p), values(arange(10'000)));
  EXPECT_EQ(randperm(0).numel(), 0);
  // Each of the 24 orders of four elements occurs equally often.
  std::map<Numbers, double> counts;
  for (int i = 0; i < 24'000; ++i) ++counts[values(randperm(4))];
  EXPECT_EQ(counts.size(), 24U);
  double chi = 0;
  for (const auto& [order, count] : counts) chi += (count - 1000) * (count - 1000) / 1000;
  EXPECT_LT(chi, 49.7);  // quantile of 0.999, 23 degrees
}

TEST_F(Random, bernoulli_takes_a_probability_for_each_element) {
  manual_seed(0);
  const Tensor p = div(arange(0, 5, 1, DType::f32), 4);
  const Numbers mean = values(vitro::mean(bernoulli(expand(p, {200'000, 5})), {0}));
  for (size_t i = 0; i < 5; ++i) {
    const double wanted = static_cast<double>(i) / 4;
    EXPECT_NEAR(mean[i], wanted, 4 * std::sqrt(wanted * (1 - wanted) / 200'000)) << i;
  }
}

TEST_F(Random, bernoulli_has_its_probability) {
  for (const double p : {0.0, 0.1, 0.5, 1.0}) {
    manual_seed(0);
    const double mean = moments(values(bernoulli(zeros({many}), p))).mean;
    EXPECT_NEAR(mean, p, 4 * std::sqrt(p * (1 - p) / many)) << p;
  }
}

// The largest of a softmax with noise is distributed like the softmax.
TEST_F(Random, gumbel_softmax_chooses_like_softmax) {
  manual_seed(0);
  const Tensor weights = Tensor::from<float>({1, 3, 0.5, 5.5}, {4});
  const Tensor y = gumbel_softmax(expand(log(weights), {100'000, 4}), 0.5);
  const Numbers sums = values(sum(y, {-1}));
  for (const double one : sums) ASSERT_NEAR(one, 1, 1e-5);
  std::vector<double> counts(4);
  for (const double i : values(argmax(y, {-1}))) ++counts[static_cast<size_t>(i)];
  EXPECT_LT(chi_square(counts, {0.1, 0.3, 0.05, 0.55}, 100'000), 16.3);
}

// Exactly one of each row, chosen like the largest of the soft result; the gradient is that of it.
TEST_F(Random, hard_gumbel_softmax_is_one_at_the_largest) {
  const Tensor logits = log(Tensor::from<float>({1, 3, 0.5, 5.5}, {4}));
  const auto made = [&](bool hard) {
    manual_seed(3);
    return gumbel_softmax(expand(logits, {1000, 4}), 0.5, hard);
  };
  const Tensor soft = made(false), hard = made(true);
  EXPECT_EQ(values(argmax(hard, {-1})), values(argmax(soft, {-1})));
  EXPECT_EQ(values(sum(round(hard), {-1})), Numbers(1000, 1.0));
  EXPECT_LT(amax(abs(hard - round(hard))).item<double>(), 1e-6);
}

// ---- counts ----

// The mean and the variance of a Poisson number are its rate, also where the method changes (10).
TEST_F(Random, poisson_numbers_have_their_rate) {
  for (const double rate : {0.01, 1.0, 9.9, 10.0, 12.5, 100.0, 1e6}) {
    manual_seed(0);
    const auto [mean, variance] = moments(values(poisson(full({many}, rate, DType::f64))));
    EXPECT_NEAR(mean, rate, 4 * std::sqrt(rate / many)) << rate;
    EXPECT_NEAR(variance, rate, 4 * std::sqrt((rate + 2 * rate * rate) / many)) << rate;
  }
}

// The shares of the numbers 0 to 9, and of the others, by the formula of the distribution.
TEST_F(Random, poisson_numbers_are_distributed) {
  for (const double rate : {3.0, 11.0}) {
    manual_seed(1);
    std::vector<double> counts(21), shares(21);
    for (const double n : values(poisson(full({many}, rate))))
      ++counts[std::min<size_t>(static_cast<size_t>(n), 20)];
    double rest = 1, share = std::exp(-rate);
    for (size_t n = 0; n < 20; share *= rate / static_cast<double>(++n)) rest -= shares[n] = share;
    shares[20] = std::max(rest, 1e-12);
    EXPECT_LT(chi_square(counts, shares, many), 45.3) << rate;  // quantile of 0.999, 20 degrees
  }
}

TEST_F(Random, binomial_numbers_are_distributed) {
  for (const double p : {0.2, 0.5, 0.7}) {
    for (const size_t trials : {8U, 40U}) {
      manual_seed(2);
      std::vector<double> counts(trials + 1), shares;
      const Tensor count = full({many}, static_cast<double>(trials));
      for (const double n : values(binomial(count, full({many}, p))))
        ++counts[static_cast<size_t>(n)];
      double deviation = 0, degrees = 0;
      for (size_t k = 0; k <= trials; ++k) {
        const double n = static_cast<double>(trials), x = static_cast<double>(k);
        const double expected =
            many * std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                            x * std::log(p) + (n - x) * std::log1p(-p));
        if (expected < 5) continue;
        deviation += (counts[k] - expected) * (counts[k] - expected) / expected;
        ++degrees;
      }
      EXPECT_LT(deviation, degrees + 4 * std::sqrt(2 * degrees) + 4) << p << " " << trials;
    }
  }
}

TEST_F(Random, counts_are_the_same_compiled_and_on_any_number_of_threads) {
  const auto program = [](const Tensor& x) {
    const Tensor events = poisson(exp(x));
    return cat({events, binomial(events, sigmoid(x))});
  };
  auto fast = compile(program);
  const Tensor x = arange(5001, DType::f32) * (9.0 / 5000) - 3.0;
  manual_seed(5);
  const Numbers want = values(program(x));
  const int before = num_threads();
  for (const int threads : {1, 2}) {
    set_num_threads(threads);
    manual_seed(5);
    EXPECT_EQ(values(program(x)), want) << threads;
    manual_seed(5);
    EXPECT_EQ(values(fast(x)), want) << threads;
    EXPECT_NE(values(fast(x)), want);  // other streams
  }
  set_num_threads(before);
  EXPECT_TRUE(fast.report().fallbacks.empty());
  EXPECT_TRUE(fast.report().breaks.empty());
}

TEST_F(Random, counts_out_of_range) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values(poisson(full({1}, inf))), Numbers{inf});
  EXPECT_TRUE(std::isnan(values(binomial(full({1}, inf), full({1}, 0.5)))[0]));
  EXPECT_EQ(values(binomial(full({1}, inf), full({1}, 1.0))), Numbers{inf});
  EXPECT_EQ(error_of([] { return poisson(full({2}, -4.0)); }),
            "poisson: rates must not be negative, got -4.0");
  EXPECT_EQ(error_of([] { return poisson(full({2}, 4)); }),
            "poisson: the rates must be floating-point numbers, got i64; cast them first");
  EXPECT_EQ(error_of([] { return binomial(full({2}, 4.0), full({2}, 0.5, DType::f64)); }),
            "binomial: dtypes differ: the counts are f32, the probabilities f64; cast one of them");
}

// ---- dropout ----

TEST_F(Random, dropout_scales_what_it_keeps) {
  const Tensor x = arange(1, 10'001, 1, DType::f32);
  const auto [y, mask] = native_dropout(x, 0.25, true);
  EXPECT_EQ(mask.dtype(), DType::boolean);
  EXPECT_EQ(values(y), values(mul(mul(x, to(mask, DType::f32)), 1 / 0.75)));
  EXPECT_NEAR(moments(values(mask)).mean, 0.75, 4 * std::sqrt(0.25 * 0.75 / 10'000));
  EXPECT_EQ(values(dropout(x, 0.0)), values(x));
  EXPECT_EQ(values(dropout(x, 0.25, false)), values(x));
  EXPECT_EQ(values(dropout(x, 1.0)), Numbers(10'000, 0.0));
}

TEST_F(Random, dropout_of_a_transposed_tensor_keeps_its_strides) {
  const Tensor x = transpose(ones({30, 50}), 0, 1);
  manual_seed(6);
  const Tensor y = dropout(x, 0.5);
  manual_seed(6);
  EXPECT_EQ(values(y), values(dropout(contiguous(x), 0.5)));
  EXPECT_EQ(y.strides()[0], 1);
}

TEST_F(Random, feature_dropout_drops_whole_channels) {
  manual_seed(0);
  const Numbers y = values(feature_dropout(ones({4, 50, 3, 3}), 0.25));
  std::array<int, 2> counts{};
  for (size_t i = 0; i < y.size(); i += 9) {
    EXPECT_TRUE(std::all_of(y.begin() + i, y.begin() + i + 9, [&](double v) { return v == y[i]; }));
    ++counts[y[i] != 0];
  }
  EXPECT_NEAR(counts[1], 150, 4 * std::sqrt(200 * 0.25 * 0.75));
}

// Of numbers with mean 0 and variance 1.
TEST_F(Random, alpha_dropout_keeps_mean_and_variance) {
  manual_seed(0);
  const Tensor x = randn({many});
  const Moments m = moments(values(alpha_dropout(x, 0.3)));
  EXPECT_NEAR(m.mean, 0, 4 * std::sqrt(1.0 / many));
  EXPECT_NEAR(m.variance, 1, 4 * std::sqrt(3.0 / many));  // its fourth moment is below 4
  const Numbers channels = values(feature_alpha_dropout(zeros({10, 10, 4}), 0.5));
  for (size_t i = 0; i < channels.size(); i += 4) EXPECT_EQ(channels[i], channels[i + 3]);
}

TEST_F(Random, attention_drops_weights) {
  const Tensor q = zeros({2, 3, 40, 8}), k = zeros({2, 3, 1000, 8}), v = ones({2, 3, 1000, 5});
  const auto f = [](const Tensor& q, const Tensor& k, const Tensor& v) {
    return scaled_dot_product_attention(q, k, v, {}, 0.25);
  };
  manual_seed(0);
  const Tensor y = f(q, k, v);
  // Each element is the mean of 1000 weights: 0, or 4 / 3 with probability 3 / 4.
  const Numbers all = values(y);
  for (const double one : all) EXPECT_NEAR(one, 1, 6 * std::sqrt(1.0 / 3 / 1000));
  EXPECT_NE(all[0], all[5]);
  EXPECT_EQ(all[0], all[4]);
  auto fast = compile(f);
  manual_seed(0);
  EXPECT_EQ(values(fast(q, k, v)), all);
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST_F(Random, dropout_fuses_with_its_neighbours) {
  auto fast = compile([](const Tensor& x) { return relu(dropout(mul(x, 2), 0.25)); });
  (void)fast(ones({64, 100}));
  EXPECT_EQ(fast.report().segments.at(0).build->kernels.size(), 1U);
}

// Whether the elements of each channel, in rows of `size`, are equal, and the channels differ.
bool has_whole_channels(const Tensor& t, size_t size) {
  const Numbers x = values(t);
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i] != x[i / size * size]) return false;
  return std::ranges::adjacent_find(x, std::ranges::not_equal_to()) != x.end();
}

TEST_F(Random, modules_drop_whole_channels) {
  struct Net : nn::Module {
    nn::Dropout1d one{*this, "one"};
    nn::Dropout2d two{*this, "two"};
    nn::Dropout3d three{*this, "three"};
    nn::AlphaDropout alpha{*this, "alpha"};
    nn::FeatureAlphaDropout alpha_channels{*this, "alpha_channels"};
  } net;
  manual_seed(0);
  EXPECT_TRUE(has_whole_channels(net.one(ones({2, 40, 3})), 3));
  EXPECT_TRUE(has_whole_channels(net.one(ones({40, 3})), 3));
  EXPECT_TRUE(has_whole_channels(net.two(ones({2, 40, 3, 2})), 6));
  EXPECT_TRUE(has_whole_channels(net.three(ones({2, 40, 3, 2, 2})), 12));
  EXPECT_TRUE(has_whole_channels(net.three(ones({40, 3, 2, 2})), 12));
  EXPECT_FALSE(has_whole_channels(net.alpha(ones({2, 40, 3})), 3));
  EXPECT_TRUE(has_whole_channels(net.alpha_channels(ones({2, 40, 3})), 3));
  EXPECT_EQ(error_of([&] { net.one(ones({2, 3, 4, 5})); }),
            "feature_dropout: needs rank 2 or 3, got sizes [2, 3, 4, 5]");
  net.eval();
  const Tensor x = ones({40, 3});
  for (const nn::AnyDropout* one :
       {static_cast<nn::AnyDropout*>(&net.one), static_cast<nn::AnyDropout*>(&net.alpha)})
    EXPECT_TRUE((*one)(x).same_as(x));
}

// Whether a module trains is the program's decision at each call.
TEST_F(Random, a_module_that_no_longer_trains_drops_nothing) {
  struct Net : nn::Module {
    nn::Dropout drop{*this, "drop", 0.5};
  } net;
  auto fast = compile([&](const Tensor& x) { return add(net.drop(mul(x, 3)), 1); });
  const Tensor x = ones({1000});
  for (int call = 0; call < 6; ++call) {
    net.train(call % 3 == 0);
    EXPECT_EQ(std::ranges::count(values(fast(x)), 4.0), call % 3 == 0 ? 0 : 1000) << call;
  }
}

TEST_F(Random, arguments_are_checked) {
  const Tensor x = zeros({2});
  const auto expect = [](const std::string& message, auto f) { EXPECT_EQ(error_of(f), message); };
  expect("bernoulli: needs a probability in [0, 1], got 1.5", [&] { return bernoulli(x, 1.5); });
  expect("dropout: needs a probability in [0, 1], got -0.5", [&] { return dropout(x, -0.5); });
  expect("feature_dropout: needs rank 2 or more, got sizes [2]",
         [&] { return feature_dropout(x, 0.5); });
  expect("dropout: takes floating-point numbers, got i64; cast them first",
         [&] { return dropout(zeros({2}, DType::i64), 0.5); });
  expect("rand: needs a floating-point dtype, got i64", [&] { return rand({2}, DType::i64); });
  expect("rand: sizes must not be negative, got [-1]", [&] { return rand({-1}); });
  expect("randint: needs low < high, got low 3 and high 3", [&] { return randint(3, 3, {2}); });
  expect("randint: 0 to 299 are not all numbers of u8",
         [&] { return randint(0, 300, {2}, DType::u8); });
  expect("rand: needs a floating-point dtype, got bool", [&] { return rand({2}, DType::boolean); });
  expect("randn_like: needs a floating-point dtype, got i64",
         [&] { return randn_like(zeros({2}, DType::i64)); });
  const int64_t absurd = int64_t{1} << 40;
  EXPECT_NE(error_of([&] { return rand({absurd, absurd}); }), "");
  EXPECT_NE(error_of([&] { return randint(5, {absurd, absurd}); }), "");
  EXPECT_NE(error_of([&] { return randperm(int64_t{1} << 62); }), "");
  expect("randperm: 0 to 256 are not all numbers of u8", [&] { return randperm(257, DType::u8); });
  expect("randperm: 0 to 1 are not all numbers of bool",
         [&] { return randperm(2, DType::boolean); });
  expect(
      "bernoulli: sizes [3] do not expand to [2]: dimension 0 has size 3, only 1 can be repeated",
      [&] { return bernoulli(x, zeros({3})); });
  expect("bernoulli: takes floating-point numbers, got i64; cast them first",
         [&] { return bernoulli(x, zeros({2}, DType::i64)); });
  expect("uniform: needs finite numbers of f16 as bounds and as their distance, got 0.0 and 1e+06",
         [&] { return uniform(zeros({2}, DType::f16), 0, 1e6); });
  expect("uniform_: takes floating-point numbers, got i64; cast them first",
         [&] { return uniform_(zeros({2}, DType::i64)); });
  expect("geometric: needs a dtype of numbers, got bool",
         [&] { return geometric(zeros({2}, DType::boolean), 0.5); });
  expect("randperm: needs a number that is not negative, got -1", [&] { return randperm(-1); });
  expect("normal: needs a deviation of at least 0, got -1.0", [&] { return normal(x, -1.0); });
  expect("uniform: needs from <= to, got from 2.0 and to 1.0", [&] { return uniform(x, 2, 1); });
  expect("exponential: needs a positive lambd, got 0.0", [&] { return exponential(x, 0); });
  expect("cauchy: needs a positive sigma, got 0.0", [&] { return cauchy(x, 0, 0); });
  expect("log_normal: needs a positive deviation, got 0.0", [&] { return log_normal(x, 1, 0); });
  expect("geometric: needs a probability in (0, 1), got 1.0", [&] { return geometric(x, 1); });
  expect("multinomial: cannot draw 3 samples without replacement of 2 elements",
         [&] { return multinomial(x, 3); });
  expect("multinomial: needs a positive number of samples, got 0",
         [&] { return multinomial(x, 0); });
  expect("multinomial: needs rank 1 or 2, got sizes [1, 1, 2]",
         [&] { return multinomial(zeros({1, 1, 2}), 1); });
}

}  // namespace
}  // namespace vitro
