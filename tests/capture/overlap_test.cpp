// Writes into windows that overlap themselves or each other give eager's values.
#include "capture/testing.h"
#include "eager/eager.h"

namespace vitro {
namespace {

// Runs `program` compiled and eager on copies of the same memory, with the windows that `arguments`
// makes of it; compares results and memory.
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

TEST(Overlap, a_window_that_covers_itself_is_written_beside_its_memory) {
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

TEST(Overlap, every_element_is_computed_from_what_the_memory_held_and_the_last_stays) {
  eager::init();
  const Tensor memory = counted({6});
  add_(as_strided(memory, {3, 2}, {1, 1}), vec({10, 20}));
  EXPECT_EQ(values(memory), (std::vector<float>{10, 11, 12, 23, 4, 5}));
  const Tensor bytes = counted({6});
  copy_(as_strided(bytes, {2, 3}, {2, 1}), counted({2, 3}, 10));
  EXPECT_EQ(values(bytes), (std::vector<float>{0, 10, 30, 40, 50, 5}));
}

TEST(Overlap, a_window_that_covers_itself_is_written_in_the_function) {
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

TEST(Overlap, a_view_of_a_window_that_covers_itself_is_written) {
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

TEST(Overlap, strides_that_vary_may_cover_itself_in_one_call_and_not_in_another) {
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

struct Ways {
  size_t compiled = 0, refused = 0;
};

// Number of compiled and of refused graphs of a program called with windows of these row strides.
Ways ways_of(Tensor (*program)(const Tensor&), std::initializer_list<int64_t> steps) {
  const auto f = compile(program, graphs());
  for (const int64_t step : steps) {
    const Tensor mine = counted({32}), others = counted({32});
    const auto rows = [&](const Tensor& memory) { return as_strided(memory, {3, 4}, {step, 1}); };
    EXPECT_EQ(values(f(rows(mine))), values(program(rows(others)))) << step;
    EXPECT_EQ(values(mine), values(others)) << step;
  }
  Ways ways;
  for (const SegmentReport& segment : f.report().segments)
    ++(segment.compiled ? ways.compiled : ways.refused);
  for (const Diagnostic& finding : f.report().fallbacks) EXPECT_EQ(finding.code->id, "V0604");
  return ways;
}

// The choice is made per call: neither a refused nor a compiled call decides it for later ones.
TEST(Overlap, only_the_calls_whose_window_covers_itself_run_op_by_op) {
  const auto program = [](const Tensor& window) {
    add_(window, 7.0);
    return sum(window);
  };
  const Ways compiled_first = ways_of(program, {5, 6, 3, 2, 7, 3});
  EXPECT_EQ(compiled_first.compiled, 2U);  // for 5, and for any step
  EXPECT_EQ(compiled_first.refused, 1U);
  const Ways refused_first = ways_of(program, {3, 2, 5, 6, 3, 7});
  EXPECT_EQ(refused_first.compiled, 1U);
  EXPECT_EQ(refused_first.refused, 2U);  // for 3, and for any step
}

TEST(Overlap, a_window_that_covers_itself_has_a_graph_of_its_own) {
  const auto program = [](const Tensor& window) {
    add_(select(window, 0, 1), 5.0);
    return sum(window, {1});
  };
  const Ways ways = ways_of(program, {5, 6, 7, 3, 2, 5, 3});
  EXPECT_EQ(ways.compiled, 3U);
  EXPECT_EQ(ways.refused, 0U);
}

TEST(Overlap, windows_that_lie_across_each_other) {
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

TEST(Overlap, rows_and_columns_of_one_square) {
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

// The recording may come from a call in which the window did not overlap itself.
TEST(Overlap, rows_of_a_window_that_cover_each_other_are_copied) {
  const auto copy_first_row = [](const Tensor& window, const Tensor& other) {
    const std::vector<Tensor> rows = unbind(window);
    if (rows.size() > 1) copy_(rows[1], rows[0]);
    return add(other, 1.0);
  };
  expect_same(copy_first_row,
              [](const Tensor& memory, int64_t n) {
                return Two(as_strided(memory, {n, 1, 3}, {1, 3, 1}), memory);
              },
              {2, 1, 3, 2, 3, 4});
  expect_same(copy_first_row,
              [](const Tensor& memory, int64_t n) {
                return Two(as_strided(memory, {n, 1, 3}, {2, 3, 1}), counted({2}));
              },
              {2, 1, 3, 2, 3, 4});
}

TEST(Overlap, an_expanded_result_that_is_written_is_the_same_error_as_eager) {
  const auto program = [](const Tensor& x) { return expand(add(x, 1.0), {3, 2}); };
  auto f = compile(program, graphs());
  const Tensor got = f(counted({2})), want = program(counted({2}));
  std::string mine, others;
  try {
    add_(got, 1.0);
  } catch (const Error& e) {
    mine = e.message();
  }
  try {
    add_(want, 1.0);
  } catch (const Error& e) {
    others = e.message();
  }
  EXPECT_FALSE(others.empty());
  EXPECT_EQ(mine, others);
}

}  // namespace
}  // namespace vitro
