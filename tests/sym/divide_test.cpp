// Random expressions: simplification keeps their values as computed by plain arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "vitro/base/error.h"
#include "vitro/sym/expr.h"

namespace vitro::sym {
namespace {

int64_t floor_div(int64_t a, int64_t b) {
  return static_cast<int64_t>(
      std::floor(static_cast<long double>(a) / static_cast<long double>(b)));
}

constexpr size_t binding_count = 24;
using Values = std::array<int64_t, binding_count>;

// An expression with its value under each binding, computed without the library.
struct Sample {
  Expr e;
  Values values;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {
    const Expr n = Expr::symbol("s0"), m = Expr::symbol("s1");
    const Expr signed_symbol = Expr::symbol("d", {-9, 9});
    add_leaf(n, [&](size_t) { return number(2, 9); });
    add_leaf(m, [&](size_t) { return number(2, 6); });
    add_leaf(signed_symbol, [&](size_t) { return number(-9, 9); });
    add_leaf(Expr::index("i", n), [&](size_t at) { return number(0, leaves_[0].values[at] - 1); });
    add_leaf(Expr::index("j", m), [&](size_t at) { return number(0, leaves_[1].values[at] - 1); });
    add_leaf(Expr::index("t", 4), [&](size_t) { return number(0, 3); });
  }

  int64_t value(Expr symbol, size_t at) const {
    for (const Sample& leaf : leaves_) {
      if (leaf.e == symbol) return leaf.values[at];
    }
    throw std::out_of_range(symbol.text());
  }

  Sample make(int depth) {
    if (depth == 0 || number(0, 9) == 0) return leaf();
    const Sample a = make(depth - 1), b = make(depth - 1);
    switch (number(0, 9)) {
      case 0:
      case 1:
      case 2:
        return combine(a, b, a.e + b.e, [](int64_t x, int64_t y) { return x + y; });
      case 3:
        return combine(a, b, a.e - b.e, [](int64_t x, int64_t y) { return x - y; });
      case 4:
      case 5:
        return combine(a, b, a.e * b.e, [](int64_t x, int64_t y) { return x * y; });
      case 6:
        return combine(a, b, min(a.e, b.e), [](int64_t x, int64_t y) { return std::min(x, y); });
      case 7:
        return combine(a, b, max(a.e, b.e), [](int64_t x, int64_t y) { return std::max(x, y); });
      default:
        return divided(a, b);
    }
  }

 private:
  int64_t number(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

  template <class F>
  void add_leaf(Expr e, F value_at) {
    Sample leaf{e, {}};
    for (size_t at = 0; at < binding_count; ++at) leaf.values[at] = value_at(at);
    leaves_.push_back(leaf);
  }

  Sample leaf() {
    if (number(0, 2) != 0) return leaves_[static_cast<size_t>(number(0, 5))];
    Sample constant{number(-12, 12), {}};
    constant.values.fill(*constant.e.constant());
    return constant;
  }

  template <class F>
  static Sample combine(const Sample& a, const Sample& b, Expr e, F f) {
    Sample result{e, {}};
    for (size_t at = 0; at < binding_count; ++at) result.values[at] = f(a.values[at], b.values[at]);
    return result;
  }

  // Divides by a number instead if the divisor is 0 under some binding.
  Sample divided(const Sample& a, Sample b) {
    if (std::find(b.values.begin(), b.values.end(), 0) != b.values.end() || number(0, 1) == 0) {
      b.e = number(1, 12);
      b.values.fill(*b.e.constant());
    }
    if (number(0, 1) == 0) return combine(a, b, floordiv(a.e, b.e), floor_div);
    return combine(a, b, mod(a.e, b.e),
                   [](int64_t x, int64_t y) { return x - y * floor_div(x, y); });
  }

  std::mt19937_64 random_;
  std::vector<Sample> leaves_;
};

// Calls `check` with a generator for each seed; stops at the first failure.
template <class F>
void for_samples(int count, F check) {
  for (int seed = 1; seed <= count; ++seed) {
    Generator generator(static_cast<uint64_t>(seed));
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    check(generator);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomExpressions, keep_their_values_through_all_rules) {
  for_samples(4000, [](Generator& generator) {
    const Sample sample = generator.make(4);
    for (size_t at = 0; at < binding_count; ++at) {
      const auto value_of = [&](Expr symbol) { return generator.value(symbol, at); };
      ASSERT_EQ(evaluate(sample.e, value_of), sample.values[at]) << sample.e.text();
      const Range range = range_of(sample.e);
      ASSERT_TRUE(range.low <= sample.values[at] && sample.values[at] <= range.high)
          << sample.e.text() << " in " << range.low << " to " << range.high;
    }
  });
}

TEST(RandomExpressions, are_never_proven_wrong) {
  int decided = 0;
  for_samples(3000, [&](Generator& generator) {
    const Sample a = generator.make(3), b = generator.make(3);
    const auto less = prove_less(a.e, b.e), equal = prove_equal(a.e, b.e);
    decided += less.has_value();
    for (size_t at = 0; at < binding_count; ++at) {
      const int64_t x = a.values[at], y = b.values[at];
      ASSERT_EQ(less.value_or(x < y), x < y) << a.e.text() << " < " << b.e.text();
      ASSERT_EQ(equal.value_or(x == y), x == y) << a.e.text() << " == " << b.e.text();
    }
  });
  EXPECT_GT(decided, 500);
}

TEST(RandomExpressions, survive_printing_and_substitution) {
  for_samples(1500, [](Generator& generator) {
    const Sample sample = generator.make(4);
    const std::vector<Expr> symbols = symbols_of(sample.e);
    const auto read = parse(sample.e.text(), [&](std::string_view name) {
      for (const Expr s : symbols) {
        if (name_of(s) == name) return s;
      }
      return Expr();
    });
    ASSERT_TRUE(read) << sample.e.text();
    std::vector<std::pair<Expr, Expr>> numbers;
    for (const Expr s : symbols) numbers.emplace_back(s, generator.value(s, 0));
    ASSERT_EQ(substitute(sample.e, numbers), Expr(sample.values[0])) << sample.e.text();
    ASSERT_EQ(substitute(*read, numbers), Expr(sample.values[0])) << sample.e.text();
  });
}

// Divides n*q + i + offset by n, for all small values: the quotient is q only if i + offset is in
// [0, n).
TEST(DivisionByCounting, by_a_symbol_agrees_with_counting) {
  const Expr n = Expr::symbol("s0"), q = Expr::symbol("q", {-3, 3});
  for (int64_t offset = -6; offset <= 6; ++offset) {
    const Expr i = Expr::index("i", n), e = n * q + i + offset;
    const Expr quotient = floordiv(e, n), remainder = mod(e, n);
    for (int64_t size = 2; size <= 7; ++size) {
      for (int64_t at = 0; at < 7 * size; ++at) {
        const int64_t multiple = at / size - 3, rest = at % size;
        const auto value_of = [&](Expr s) { return s == n ? size : s == q ? multiple : rest; };
        const int64_t value = size * multiple + rest + offset;
        ASSERT_EQ(evaluate(quotient, value_of), floor_div(value, size)) << quotient.text();
        ASSERT_EQ(evaluate(remainder, value_of), value - size * floor_div(value, size));
      }
    }
  }
}

}  // namespace
}  // namespace vitro::sym
