// Expressions over symbols: normal form and text, ranges, division, minimum, and proofs.
#include "vitro/sym/expr.h"

#include <gtest/gtest.h>

#include <ostream>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::sym {
namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max();

}  // namespace

// Makes GoogleTest print expressions as text.
void PrintTo(Expr e, std::ostream* out) {
  *out << e.text();
}

namespace {

struct Symbols : testing::Test {
  Expr n = Expr::symbol("s0"), m = Expr::symbol("s1"), k = Expr::symbol("s10");
  Expr a = Expr::symbol("two_or_more_a", {2, unbounded});
  Expr b = Expr::symbol("two_or_more_b", {2, unbounded});
  Expr i = Expr::index("i", n), j = Expr::index("j", m), t = Expr::index("t", 4);
};
using Expression = Symbols;
using Division = Symbols;
using Minimum = Symbols;
using Proof = Symbols;

TEST_F(Expression, equal_values_are_one_node) {
  EXPECT_EQ((n + 1) * (m + 2), n * m + 2 * n + m + 2);
  EXPECT_EQ((n - m) * (n + m), n * n - m * m);
  EXPECT_EQ(n - n, Expr(0));
  EXPECT_EQ(Expr(1'000'000) * 3, Expr(3'000'000));
  EXPECT_NE(n, m);
}

TEST_F(Expression, prints_terms_of_higher_degree_first_and_names_as_people_count) {
  EXPECT_EQ((i + 3 * n).text(), "3*s0 + i");
  EXPECT_EQ((4 - n * m - 2 * k).text(), "-s0*s1 - 2*s10 + 4");
  EXPECT_EQ((k + m).text(), "s1 + s10");
  EXPECT_EQ(floordiv(n + 3, 4).text(), "floordiv(s0 + 3, 4)");
  EXPECT_EQ((-n).text(), "-s0");
  EXPECT_EQ(Expr().text(), "?");
}

TEST_F(Expression, the_same_name_is_the_same_symbol) {
  EXPECT_EQ(Expr::symbol("s0"), n);
  EXPECT_EQ(Expr::index("i", n), i);
  EXPECT_NE(Expr::index("i", m), i);
  EXPECT_THROW(Expr::symbol("s0", {5, 7}), Bug);
}

TEST_F(Expression, numbers_beyond_64_bits_are_an_error_that_says_so) {
  try {
    Expr(largest) + 1;
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "size: 9223372036854775807 + 1 does not fit into 64 bits");
  }
  EXPECT_THROW(n * largest * 2, Error);
  EXPECT_THROW(floordiv(n, 0), Error);
}

TEST_F(Expression, knows_the_range_of_what_it_is_made_of) {
  EXPECT_EQ(range_of(n), size_range);
  EXPECT_EQ(range_of(n), (Range{1, largest_size}));
  EXPECT_EQ(range_of(a), (Range{2, unbounded}));
  EXPECT_EQ(range_of(3 * t - 1), (Range{-1, 8}));
  EXPECT_EQ(range_of(mod(n, 5)), (Range{0, 4}));
  EXPECT_EQ(range_of(floordiv(t, 2)), (Range{0, 1}));
  EXPECT_EQ(range_of(-n), (Range{-largest_size, -1}));
  EXPECT_EQ(range_of(-a), (Range{-unbounded, -2}));
}

TEST_F(Expression, shows_its_structure) {
  EXPECT_EQ(kind_of(2 * n), Kind::product);
  EXPECT_EQ(operands_of(2 * n * m), (std::vector<Expr>{2, n, m}));
  EXPECT_EQ(operands_of(n + 1), (std::vector<Expr>{n, 1}));
  EXPECT_EQ(name_of(i), "i");
  EXPECT_EQ(extent_of(i), n);
  EXPECT_TRUE(operands_of(i).empty());
}

TEST_F(Expression, a_product_of_long_sums_stays_short) {
  Expr left = 1, right = 1;
  for (int at = 0; at < 20; ++at) {
    left = left + Expr::symbol(cat("p", at));
    right = right + Expr::symbol(cat("q", at));
  }
  const auto one = [](Expr) { return int64_t{3}; };
  EXPECT_LE(operands_of(left * right).size(), 64u);
  EXPECT_EQ(evaluate(left * right + left, one), 61 * 61 + 61);
  EXPECT_EQ(left * right - left * right, Expr(0));
}

TEST_F(Division, takes_out_whole_multiples) {
  EXPECT_EQ(floordiv(i + n * 3, n), Expr(3));
  EXPECT_EQ(mod(i + n * 3, n), i);
  EXPECT_EQ(floordiv(i * m + j, m), i);
  EXPECT_EQ(mod(i * m + j, m), j);
  EXPECT_EQ(floordiv(8 * n + t, 8), n);
  EXPECT_EQ(floordiv(n * m * 6, m * 3), 2 * n);
  EXPECT_EQ(floordiv(n * n - m * m, n + m), n - m);
  EXPECT_EQ(floordiv(n - 1, 4), floordiv(n + 3, 4) - 1);
}

TEST_F(Division, takes_out_common_factors) {
  EXPECT_EQ(floordiv(6 * i + 4, 2), 3 * i + 2);
  EXPECT_EQ(floordiv(6 * i + 4, 4), i + floordiv(i, 2) + 1);
  EXPECT_EQ(mod(6 * i + 4, 4), 2 * mod(i, 2));
  EXPECT_EQ(floordiv(4 * i + t, 8), floordiv(i, 2));
  EXPECT_EQ(floordiv(i * m + j, 4 * m), floordiv(i, 4));
  EXPECT_EQ(mod(i * m + j, 4 * m), m * mod(i, 4) + j);
  EXPECT_EQ(floordiv(i * m + j, n * m), Expr(0));
}

TEST_F(Division, of_divisions_is_one_division) {
  EXPECT_EQ(floordiv(floordiv(n, 4), 3), floordiv(n, 12));
  EXPECT_EQ(mod(mod(n, 12), 4), mod(n, 4));
  EXPECT_EQ(mod(mod(n, 12) + k, 4), mod(n + k, 4));
  const Expr p = Expr::index("p", n * m * k);  // has no bound in numbers
  EXPECT_EQ(mod(mod(p, m * k), k), mod(p, k));
  EXPECT_EQ(kind_of(mod(2 * mod(p, m * k), k)), Kind::mod);
  EXPECT_NE(mod(2 * mod(p, m * k), k), mod(2 * p, k));  // 2 p may overflow
  EXPECT_EQ(floordiv(mod(n, 12), 4), mod(floordiv(n, 4), 3));
}

TEST_F(Division, and_remainder_join_to_what_was_divided) {
  EXPECT_EQ(4 * floordiv(n, 4) + mod(n, 4), n);
  EXPECT_EQ(m * floordiv(k, m) + mod(k, m) + 1, k + 1);
  EXPECT_EQ(12 * floordiv(k, 12) + 4 * mod(floordiv(k, 4), 3) + mod(k, 4), k);
  const Expr p = Expr::index("p", n * m * a * b);  // as a position among dense elements of rank 4
  EXPECT_EQ(m * a * b * floordiv(p, m * a * b) + a * b * mod(floordiv(p, a * b), m) +
                b * mod(floordiv(p, b), a) + mod(p, b),
            p);
  EXPECT_EQ(n * (8 * floordiv(5 * k + 1, 8) + mod(5 * k + 1, 8)), n * (5 * k + 1));
}

TEST_F(Division, by_something_negative_rounds_down_too) {
  EXPECT_EQ(floordiv(7, -2), Expr(-4));
  EXPECT_EQ(mod(7, -2), Expr(-1));
  EXPECT_EQ(floordiv(-n * m, -m), n);
  EXPECT_EQ(floordiv(n, -1), -n);
  EXPECT_THROW(floordiv(std::numeric_limits<int64_t>::min(), -1), Error);
}

TEST_F(Minimum, is_decided_where_the_ranges_decide_it) {
  EXPECT_EQ(min(n, 1), Expr(1));
  EXPECT_EQ(kind_of(min(n, 2)), Kind::min);
  EXPECT_EQ(min(a, 2), Expr(2));
  EXPECT_EQ(max(n, n + m), n + m);
  EXPECT_EQ(min(n, m), min(m, n));
  EXPECT_EQ(max(min(n, m), n), n);
  EXPECT_EQ(min(i, n), i);
  EXPECT_EQ(kind_of(min(n, 3)), Kind::min);
}

TEST_F(Proof, sees_through_products_of_symbols) {
  EXPECT_EQ(prove_less(a, a * b), true);
  EXPECT_EQ(prove_less(a * b, a + b), false);  // 2*2 == 2+2 is the closest
  EXPECT_EQ(prove_less(n, n * m), std::nullopt);
  EXPECT_EQ(prove_less(n * m, n), false);
  EXPECT_EQ(prove_less(n, n * a), true);
  EXPECT_EQ(prove_less(i * m + j, n * m), true);
  EXPECT_EQ(prove_less(n, m), std::nullopt);
}

// Expanded, these products would have 2^40 terms.
TEST_F(Proof, of_products_of_many_symbols_ends) {
  Expr left = 1, right = 1;
  for (int s = 0; s < 40; ++s) {
    left = left * Expr::symbol(cat("many", s));
    right = right * Expr::symbol(cat("other", s));
  }
  EXPECT_EQ(prove_less(left, left * a), true);
  EXPECT_EQ(prove_less(left * a, left), false);
  EXPECT_EQ(prove_less(left, left * n), std::nullopt);
  EXPECT_EQ(prove_less(left * a, left * a * b - 1), true);
  EXPECT_EQ(prove_less(left * a, left * a * b - 2), std::nullopt);  // 2 < 4 - 2 does not hold
  EXPECT_EQ(prove_less(left * a, left * n * b), std::nullopt);
  EXPECT_EQ(prove_less(left, right), std::nullopt);
}

TEST_F(Proof, sees_through_tiles) {
  const Expr tiles = floordiv(n + 3, 4), tile = Expr::index("tile", tiles);
  EXPECT_EQ(prove_less(n, 4 * tiles + 1), true);
  EXPECT_EQ(prove_less(4 * tile, n), true);
  EXPECT_EQ(prove_less(floordiv(i, 4), tiles), true);
  const Expr whole = Expr::index("whole", floordiv(n, 4));
  EXPECT_EQ(prove_less(4 * whole + t, n), true);
  EXPECT_EQ(prove_less(4 * tile + t, n), std::nullopt);
}

TEST_F(Proof, of_equality_knows_common_divisors_and_signs) {
  EXPECT_EQ(prove_equal(2 * n, 2 * m + 1), false);
  EXPECT_EQ(prove_equal(n, n + 1), false);
  EXPECT_EQ(prove_equal(n + m, 1), false);
  EXPECT_EQ(prove_equal(a + b, 3), false);
  EXPECT_EQ(prove_equal(n, m), std::nullopt);
  EXPECT_EQ(prove_equal(2 * mod(n, 4) + 8 * floordiv(n, 4), 2 * n), true);
}

}  // namespace
}  // namespace vitro::sym
