// Sizes that guards hold to numbers, or to each other.
#include "capture/held.h"

#include "capture/testing.h"

namespace vitro {
namespace {

using capture::Held;
using Question = sym::Guard::Question;

const sym::Expr a = sym::Expr::symbol("held_a", {1, sym::unbounded});
const sym::Expr b = sym::Expr::symbol("held_b", {1, sym::unbounded});
const sym::Expr n = sym::Expr::symbol("held_n", {0, sym::unbounded});

sym::Guard equals(sym::Expr left, sym::Expr right) {
  return {Question::equal, left, right, true};
}

TEST(Held, KnowsNothingFromOtherQuestions) {
  const sym::Guard guards[] = {{Question::equal, a, 3, false}, {Question::less, a, b, true}};
  EXPECT_TRUE(Held(guards).empty());
}

TEST(Held, SolvesForASymbol) {
  const sym::Guard guards[] = {equals(a * 2 + 1, 7)};
  EXPECT_EQ(Held(guards)(a), sym::Expr(3));
}

TEST(Held, PutsInWhatIsKnownLater) {
  const sym::Guard guards[] = {equals(a - 1, b), equals(b, 2)};
  const Held held(guards);
  EXPECT_EQ(held(a), sym::Expr(3));
  EXPECT_EQ(held(b), sym::Expr(2));
}

TEST(Held, SolvesWhatOnlyALaterGuardMakesSolvable) {
  const sym::Guard guards[] = {equals(a * b, 12), equals(a, 4)};
  EXPECT_EQ(Held(guards)(b), sym::Expr(3));
}

TEST(Held, KeepsWhatIsKnownOfASymbol) {
  const sym::Guard same[] = {equals(n, a)};
  EXPECT_EQ(Held(same)(n), a);  // which is 1 or more
  EXPECT_EQ(Held(same)(a), a);
  const sym::Guard shifted[] = {equals(a - 1, b)};
  EXPECT_EQ(Held(shifted)(a), b + 1);
  const sym::Guard never_below_1[] = {equals(a + b, n)};
  EXPECT_EQ(Held(never_below_1)(n), a + b);
  const sym::Guard no_way[] = {equals(a + b, 5)};
  EXPECT_TRUE(Held(no_way).empty());
}

sym::Guard below(sym::Expr left, sym::Expr right) {
  return {Question::less, left, right, true};
}
sym::Guard at_least(sym::Expr left, sym::Expr right) {
  return {Question::less, left, right, false};
}

TEST(Held, ABoundLeavesOneNumberOfARange) {
  const sym::Guard one[] = {at_least(1, a)};
  EXPECT_EQ(Held(one)(a), sym::Expr(1));
  const sym::Guard none[] = {below(n, 1)};
  EXPECT_EQ(Held(none)(n), sym::Expr(0));
  const sym::Guard two[] = {at_least(2, a), below(1, b), at_least(a, b)};
  EXPECT_TRUE(Held(two).empty());
  const sym::Guard rounded[] = {at_least(7, a * 4), equals(a + b, 4)};
  EXPECT_EQ(Held(rounded)(a), sym::Expr(1));
  EXPECT_EQ(Held(rounded)(b), sym::Expr(3));
}

// Graphs are well-formed whatever a guard made known after a size was recorded, and give eager's
// results.
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

TEST(HeldSizes, AResultThatHasNoElementsInOneCall) {
  expect_sound(
      [](const Tensor& x) { return exp(diagonal(x, 1)); },
      {counted({5, 3}), counted({5, 4}), counted({5, 1}), counted({5, 2}), counted({5, 1})});
  expect_sound(
      [](const Tensor& x) { return add(sum(diagonal(mul(x, 2.0), -1)), sum(slice(x, 0, 1))); },
      {counted({3, 2}), counted({4, 2}), counted({1, 2}), counted({1, 5}), counted({6, 5})});
}

TEST(HeldSizes, AResultThatHasNoElementsForMoreThanOneSize) {
  const auto quarter = [](const Tensor& x) { return sum(mul(slice(x, 0, 0, x.size(0) / 4), 2.0)); };
  expect_sound(quarter, {counted({8}), counted({9}), counted({3}), counted({2}), counted({3}),
                         counted({1}), counted({12})});
}

TEST(HeldSizes, SizesThatBroadcastingFindsEqualAndThenANumber) {
  expect_sound(
      [](const Tensor& x) {
        const Tensor part = slice(x, 0, 1), both = add(part, t(part));
        return x.numel().value() == 6 ? add(both, vec({1, 2})) : both;
      },
      {counted({4, 3}), counted({5, 4}), counted({3, 2}), counted({4, 3}), counted({3, 2})});
}

TEST(HeldSizes, ABoundMakesANumberOfASymbol) {
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

}  // namespace
}  // namespace vitro
