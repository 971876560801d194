// Symbols that guards fix to numbers or to other symbols.
#include "capture/known_values.h"

#include <algorithm>
#include <limits>
#include <random>

#include "capture/testing.h"

namespace vitro {
namespace {

using capture::KnownValues;
using Question = sym::Guard::Question;

const sym::Expr a = sym::Expr::symbol("held_a", {1, sym::unbounded});
const sym::Expr b = sym::Expr::symbol("held_b", {1, sym::unbounded});
const sym::Expr n = sym::Expr::symbol("held_n", {0, sym::unbounded});

sym::Guard equals(sym::Expr left, sym::Expr right) {
  return {Question::equal, left, right, true};
}

TEST(KnownValues, knows_nothing_from_other_questions) {
  const sym::Guard guards[] = {{Question::equal, a, 3, false}, {Question::less, a, b, true}};
  EXPECT_TRUE(KnownValues(guards).empty());
}

TEST(KnownValues, solves_for_a_symbol) {
  const sym::Guard guards[] = {equals(a * 2 + 1, 7)};
  EXPECT_EQ(KnownValues(guards)(a), sym::Expr(3));
}

TEST(KnownValues, puts_in_what_is_known_later) {
  const sym::Guard guards[] = {equals(a - 1, b), equals(b, 2)};
  const KnownValues held(guards);
  EXPECT_EQ(held(a), sym::Expr(3));
  EXPECT_EQ(held(b), sym::Expr(2));
}

TEST(KnownValues, solves_what_only_a_later_guard_makes_solvable) {
  const sym::Guard guards[] = {equals(a * b, 12), equals(a, 4)};
  EXPECT_EQ(KnownValues(guards)(b), sym::Expr(3));
}

TEST(KnownValues, keeps_what_is_known_of_a_symbol) {
  const sym::Guard same[] = {equals(n, a)};
  EXPECT_EQ(KnownValues(same)(n), a);  // a is known to be at least 1, n is not
  EXPECT_EQ(KnownValues(same)(a), a);
  const sym::Guard shifted[] = {equals(a - 1, b)};
  EXPECT_EQ(KnownValues(shifted)(a), b + 1);
  const sym::Guard never_below_1[] = {equals(a + b, n)};
  EXPECT_EQ(KnownValues(never_below_1)(n), a + b);
  const sym::Guard no_way[] = {equals(a + b, 5)};
  EXPECT_TRUE(KnownValues(no_way).empty());
}

sym::Guard below(sym::Expr left, sym::Expr right) {
  return {Question::less, left, right, true};
}
sym::Guard at_least(sym::Expr left, sym::Expr right) {
  return {Question::less, left, right, false};
}

sym::Guard differs(sym::Expr left, sym::Expr right) {
  return {Question::equal, left, right, false};
}

TEST(KnownValues, a_bound_leaves_one_number_of_a_range) {
  const sym::Guard one[] = {at_least(1, a)};
  EXPECT_EQ(KnownValues(one)(a), sym::Expr(1));
  const sym::Guard none[] = {below(n, 1)};
  EXPECT_EQ(KnownValues(none)(n), sym::Expr(0));
  const sym::Guard two[] = {at_least(2, a), below(1, b), at_least(a, b)};
  EXPECT_TRUE(KnownValues(two).empty());
  const sym::Guard rounded[] = {at_least(7, a * 4), equals(a + b, 4)};
  EXPECT_EQ(KnownValues(rounded)(a), sym::Expr(1));
  EXPECT_EQ(KnownValues(rounded)(b), sym::Expr(3));
}

TEST(KnownValues, a_bound_holds_what_is_multiplied_to_its_least) {
  const sym::Guard rows[] = {at_least(b, a * b)};
  EXPECT_EQ(KnownValues(rows)(a), sym::Expr(1));
  EXPECT_EQ(KnownValues(rows)(b), b);
  const sym::Guard all[] = {at_least(1, a * b)};
  EXPECT_EQ(KnownValues(all)(a + b), sym::Expr(2));
  const sym::Guard same[] = {equals(a * b, b)};
  EXPECT_EQ(KnownValues(same)(a), sym::Expr(1));
  const sym::Guard least_of_both[] = {at_least(a, 2), at_least(b, 3), at_least(6, a * b)};
  EXPECT_EQ(KnownValues(least_of_both)(a * 10 + b), sym::Expr(23));
}

TEST(KnownValues, a_bound_holds_what_is_divided_to_its_least) {
  const sym::Guard half[] = {equals(sym::floordiv(a, 2), 0)};
  EXPECT_EQ(KnownValues(half)(a), sym::Expr(1));
  const sym::Guard larger[] = {at_least(1, sym::max(a, b))};
  EXPECT_EQ(KnownValues(larger)(a + b), sym::Expr(2));
}

TEST(KnownValues, bounds_meet) {
  const sym::Guard number[] = {at_least(a, 5), below(a, 6)};
  EXPECT_EQ(KnownValues(number)(a), sym::Expr(5));
  const sym::Guard each_other[] = {at_least(a, b), at_least(b, a)};
  EXPECT_EQ(KnownValues(each_other)(b), a);
  const sym::Guard apart[] = {below(a, b), below(b - 2, a)};
  EXPECT_EQ(KnownValues(apart)(b), a + 1);
  const sym::Guard rounded[] = {at_least(a * 6, b * 4 - 5), below(a * 9, b * 6), equals(a, 7)};
  EXPECT_EQ(KnownValues(rounded)(b), sym::Expr(11));
}

TEST(KnownValues, a_number_that_is_not_moves_the_end_of_a_range) {
  const sym::Guard two[] = {differs(a, 2), differs(a * 3, 3), below(a, 4), differs(a * 2, 5)};
  EXPECT_EQ(KnownValues(two)(a), sym::Expr(3));
  const sym::Guard next[] = {at_least(a, b), differs(a, b), at_least(b + 1, a)};
  EXPECT_EQ(KnownValues(next)(a), b + 1);
  const sym::Guard within[] = {differs(a, 2), below(a, 4)};
  EXPECT_TRUE(KnownValues(within).empty());
}

TEST(KnownValues, bounds_and_equations_help_each_other) {
  const sym::Guard guards[] = {equals(b, n + 12), at_least(a, 4), at_least(n + 4, a), equals(n, 0)};
  const KnownValues held(guards);
  EXPECT_EQ(held(a), sym::Expr(4));
  EXPECT_EQ(held(b), sym::Expr(12));
}

// Guards that overflow 64 bits give no information and do not affect the others.
TEST(KnownValues, bounds_of_large_numbers) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = -most - 1;
  const sym::Guard guards[] = {
      at_least(most, a * most),      at_least(a + most, b * 2),     below(n, least),
      at_least(n * most + b, least), differs(n * least + b, least), below(a + b, 3)};
  EXPECT_EQ(KnownValues(guards)(a + b), sym::Expr(2));
}

// Random sums of products of a, b and n, possibly inside a floordiv, mod or max.
sym::Expr chosen(std::mt19937& random) {
  const sym::Expr symbols[] = {a, b, n};
  const auto number = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  sym::Expr e = number(-3, 3);
  for (int64_t terms = number(1, 2); terms > 0; --terms) {
    sym::Expr term = number(-3, 3);
    for (int64_t factors = number(1, 2); factors > 0; --factors)
      term = term * symbols[number(0, 2)];
    e = e + term;
  }
  const int64_t form = number(0, 9);
  if (form == 0) return sym::floordiv(e, number(2, 3));
  if (form == 1) return sym::mod(e, number(2, 3));
  return form == 2 ? sym::max(e, symbols[number(0, 2)]) : e;
}

struct Point {
  int64_t of_a, of_b, of_n;
  int64_t operator()(sym::Expr symbol) const {
    return symbol == a ? of_a : symbol == b ? of_b : of_n;
  }
};

// For random guards: at every point that satisfies them, substitution does not change a symbol's
// value.
TEST(KnownValues, values_hold_for_all_that_the_guards_admit) {
  std::mt19937 random(1);
  std::vector<Point> points;
  for (int64_t i = 0; i < 7 * 7 * 8; ++i) points.push_back({1 + i % 7, 1 + i / 7 % 7, i / 49});
  int held_some = 0;
  for (int round = 0; round < 2000; ++round) {
    const Point& call = points[random() % points.size()];
    std::vector<sym::Guard> guards;
    for (int i = 0; i < 4; ++i) {
      const sym::Expr left = chosen(random);
      const int64_t near = sym::evaluate(left, call) + static_cast<int64_t>(random() % 2);
      sym::Guard guard{random() % 3 == 0 ? Question::equal : Question::less, left,
                       random() % 2 == 0 ? chosen(random) : near, true};
      guard.answer = guard.holds(call);
      guards.push_back(guard);
    }
    const KnownValues held(guards);
    held_some += held.empty() ? 0 : 1;
    for (const Point& point : points) {
      if (!std::ranges::all_of(guards, [&](const auto& guard) { return guard.holds(point); }))
        continue;
      for (const sym::Expr symbol : {a, b, n})
        ASSERT_EQ(sym::evaluate(held(symbol), point), point(symbol)) << "round " << round;
    }
  }
  EXPECT_GT(held_some, 200);
}

// Expects eager's results and well-formed graphs, even if a guard fixes a size after the size was
// recorded.
template <class Program>
void expect_sound(Program program, const std::vector<Tensor>& calls) {
  auto f = compile(program, graphs());
  for (const Tensor& x : calls) {
    const Tensor got = f(x), want = program(x);
    EXPECT_EQ(cat(got.sizes()), cat(want.sizes()));
    EXPECT_EQ(values(contiguous(got)), values(contiguous(want)));
  }
  expect_sound_graphs(f.report());
  EXPECT_TRUE(f.report().fallbacks.empty());
}

TEST(KnownSizes, a_result_that_has_no_elements_in_one_call) {
  expect_sound(
      [](const Tensor& x) { return exp(diagonal(x, 1)); },
      {counted({5, 3}), counted({5, 4}), counted({5, 1}), counted({5, 2}), counted({5, 1})});
  expect_sound(
      [](const Tensor& x) { return add(sum(diagonal(mul(x, 2.0), -1)), sum(slice(x, 0, 1))); },
      {counted({3, 2}), counted({4, 2}), counted({1, 2}), counted({1, 5}), counted({6, 5})});
}

TEST(KnownSizes, a_result_that_has_no_elements_for_more_than_one_size) {
  const auto quarter = [](const Tensor& x) { return sum(mul(slice(x, 0, 0, x.size(0) / 4), 2.0)); };
  expect_sound(quarter, {counted({8}), counted({9}), counted({3}), counted({2}), counted({3}),
                         counted({1}), counted({12})});
}

TEST(KnownSizes, sizes_that_broadcasting_finds_equal_and_then_a_number) {
  expect_sound(
      [](const Tensor& x) {
        const Tensor part = slice(x, 0, 1), both = add(part, t(part));
        return x.numel().value() == 6 ? add(both, vec({1, 2})) : both;
      },
      {counted({4, 3}), counted({5, 4}), counted({3, 2}), counted({4, 3}), counted({3, 2})});
}

TEST(KnownSizes, a_bound_makes_a_number_of_a_symbol) {
  const auto turned = [](const Tensor& x) {
    copy_(transpose(x, 0, 1), x);
    return mul(x, 1);
  };
  auto f = compile(turned, graphs());
  for (const int64_t size : {9, 1, 4, 1}) (void)f(counted({size, size}));
  const CompiledReport report = f.report();
  ASSERT_EQ(report.segments.size(), 3U);
  EXPECT_TRUE(report.segments[1].graph.symbols().empty()) << graph::print(report.segments[1].graph);
  EXPECT_FALSE(report.segments[2].graph.symbols().empty());
  EXPECT_EQ(report.segments[1].runs, 2U);
  expect_sound_graphs(report);
}

TEST(KnownSizes, a_bound_of_one_symbol_leaves_the_others) {
  const auto program = [](const Tensor& x) { return mul(transpose(x, 0, 1), x); };
  auto f = compile(program, graphs());
  for (const int64_t size : {9, 1, 5}) {
    const Tensor x = counted({size, size, size + 1});
    EXPECT_EQ(values(f(x)), values(contiguous(program(x)))) << size;
  }
  const CompiledReport report = f.report();
  ASSERT_EQ(report.segments.size(), 3U);
  EXPECT_EQ(report.segments[1].graph.symbols().size(), 1U);
  EXPECT_EQ(report.segments[2].graph.symbols().size(), 2U);
  expect_sound_graphs(report);
}

}  // namespace
}  // namespace vitro
