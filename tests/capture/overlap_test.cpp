// Windows that cover themselves, or each other, and are written: as eager does it.
#include "capture/testing.h"
#include "eager/eager.h"

namespace vitro {
namespace {

// Calls both on copies of the same memory, with the windows that `arguments` makes of it, and
// compares results and memory.
template <class Program, class Arguments>
void expect_same(Program program, Arguments arguments, std::initializer_list<int64_t> choices) {
  auto f = compile(program, graphs());
  for (const int64_t choice : choices) {
    const Tensor mine = counted({24}), others = counted({24});
    const auto compiled = [&] {
      const auto [a, b] = arguments(mine, choice);
      return f(a, b);
    }();
    const auto [a, b] = arguments(others, choice);
    EXPECT_EQ(values(contiguous(compiled)), values(contiguous(program(a, b)))) << choice;
    EXPECT_EQ(values(mine), values(others)) << choice;
  }
}

using Two = std::pair<Tensor, Tensor>;

TEST(Overlap, AWindowThatCoversItselfIsWrittenBesideItsMemory) {
  expect_same(
      [](const Tensor& window, const Tensor& whole) {
        add_(window, 10.0);
        return mul(whole, 2.0);
      },
      [](const Tensor& memory, int64_t n) {
        return Two(as_strided(memory, {3, n}, {1, 1}), memory);
      },
      {2, 3, 4, 1});
}

TEST(Overlap, EveryElementIsComputedFromWhatTheMemoryHeldAndTheLastStays) {
  eager::init();
  const Tensor memory = counted({6});
  add_(as_strided(memory, {3, 2}, {1, 1}), vec({10, 20}));
  EXPECT_EQ(values(memory), (std::vector<float>{10, 11, 12, 23, 4, 5}));
  const Tensor bytes = counted({6});
  copy_(as_strided(bytes, {2, 3}, {2, 1}), counted({2, 3}, 10));
  EXPECT_EQ(values(bytes), (std::vector<float>{0, 10, 30, 40, 50, 5}));
}

TEST(Overlap, AWindowThatCoversItselfIsWrittenInTheFunction) {
  expect_same(
      [](const Tensor& x, const Tensor& y) {
        mul_(as_strided(x, {4, 3}, {2, 1}, 1), y);
        return add(x, 1.0);
      },
      [](const Tensor& memory, int64_t n) {
        return Two(memory, add(slice(memory, 0, n, n + 3), 0.5));
      },
      {0, 1, 2, 5});
}

TEST(Overlap, AViewOfAWindowThatCoversItselfIsWritten) {
  expect_same(
      [](const Tensor& window, const Tensor& other) {
        add_(select(window, 0, 1), 5.0);
        return add(sum(window, {1}), slice(other, 0, 0, 3));
      },
      [](const Tensor& memory, int64_t n) {
        return Two(as_strided(memory, {3, n}, {1, 1}), slice(memory, 0, 2, 8));
      },
      {2, 3, 5, 1});
  expect_same(
      [](const Tensor& window, const Tensor& other) {
        add_(select(window, 0, 1), 5.0);
        return add(sum(window, {1}), slice(other, 0, 0, 3));
      },
      [](const Tensor& memory, int64_t n) {
        return Two(as_strided(memory, {3, n}, {1, 1}), counted({6}));
      },
      {2, 3, 5, 1});
}

TEST(Overlap, StridesThatVaryMayCoverItselfInOneCallAndNotInAnother) {
  expect_same(
      [](const Tensor& window, const Tensor& other) {
        add_(window, 7.0);
        return add(sum(window), sum(other));
      },
      [](const Tensor& memory, int64_t n) {
        return Two(as_strided(memory, {3, 4}, {n, 1}), counted({2}));
      },
      {5, 6, 7, 3, 2, 4, 5});
}

TEST(Overlap, WindowsThatLieAcrossEachOther) {
  for (const int64_t step : {1, 2, 3}) {
    expect_same(
        [](const Tensor& a, const Tensor& b) {
          add_(a, b);
          mul_(b, 2.0);
          return add(a, b);
        },
        [step](const Tensor& memory, int64_t from) {
          return Two(slice(memory, 0, 0, 6), slice(memory, 0, from, from + 6 * step, step));
        },
        {0, 1, 2, 3, 4, 6});
  }
}

TEST(Overlap, RowsAndColumnsOfOneSquare) {
  expect_same(
      [](const Tensor& a, const Tensor& b) {
        add_(a, b);
        return sub(b, 1.0);
      },
      [](const Tensor& memory, int64_t n) {
        const Tensor square = as_strided(memory, {n, n}, {n, 1});
        return Two(square, transpose(square, 0, 1));
      },
      {2, 3, 4, 1});
}

// The record of such a window may come from a call in which it covered nothing twice.
TEST(Overlap, RowsOfAWindowThatCoverEachOtherAreCopied) {
  expect_same(
      [](const Tensor& window, const Tensor& whole) {
        const std::vector<Tensor> rows = unbind(window);
        if (rows.size() > 1) copy_(rows[1], rows[0]);
        return add(whole, 1.0);
      },
      [](const Tensor& memory, int64_t n) {
        return Two(as_strided(memory, {n, 1, 3}, {1, 3, 1}), memory);
      },
      {2, 1, 3, 2, 3, 4});
  expect_same(
      [](const Tensor& window, const Tensor& other) {
        const std::vector<Tensor> rows = unbind(window);
        if (rows.size() > 1) copy_(rows[1], rows[0]);
        return add(other, 1.0);
      },
      [](const Tensor& memory, int64_t n) {
        return Two(as_strided(memory, {n, 1, 3}, {2, 3, 1}), counted({2}));
      },
      {2, 1, 3, 2, 3, 4});
}

TEST(Overlap, AnExpandedResultThatIsWrittenIsTheSameErrorAsEager) {
  const auto program = [](const Tensor& x) { return expand(add(x, 1.0), {3, 2}); };
  auto f = compile(program, graphs());
  const Tensor got = f(counted({2})), want = program(counted({2}));
  std::string mine, others;
  try {
    add_(got, 1.0);
  } catch (const Error& e) {
    mine = e.what();
  }
  try {
    add_(want, 1.0);
  } catch (const Error& e) {
    others = e.what();
  }
  EXPECT_FALSE(others.empty());
  EXPECT_EQ(mine, others);
}

}  // namespace
}  // namespace vitro
