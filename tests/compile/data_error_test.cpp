// Errors in data have the same message eager and compiled, and leave the same values in memory.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>

#include "vitro/base/error.h"
#include "vitro/compile/compile.h"
#include "vitro/init.h"
#include "vitro/ops/all.h"
#include "vitro/runtime/memory.h"

namespace vitro {
namespace {

using Body = std::function<Tensor(const Tensor& buffer, const Tensor& table, const Tensor& at)>;

struct Outcome {
  std::string error;
  std::vector<float> buffer;
};

Outcome outcome_of(const std::function<Tensor(Tensor, Tensor, Tensor)>& f, int64_t index) {
  const Tensor buffer = Tensor::from({1.0F, 2.0F, 3.0F}, {3});
  const Tensor table = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {2, 3});
  Outcome out;
  try {
    (void)f(buffer, table, Tensor::from<int64_t>({1, index}, {2})).to_vector<float>();
  } catch (const Error& e) {
    out.error = e.what();
  }
  out.buffer = buffer.to_vector<float>();
  return out;
}

void expect_as_eager(const Body& body) {
  init();
  auto fast = compile(body);
  for (const int64_t index : {0, 7, 1, -9}) {
    const Outcome want = outcome_of(body, index);
    const Outcome got = outcome_of([&](auto... tensors) { return fast(tensors...); }, index);
    EXPECT_EQ(want.error.empty(), index == 0 || index == 1);
    EXPECT_EQ(got.buffer, want.buffer) << index;
    EXPECT_EQ(got.error, want.error);
    EXPECT_EQ(got.error.find(" (data_error_test.cpp:") == std::string::npos, want.error.empty());
  }
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(DataError, names_op_and_place_in_the_words_of_eager) {
  expect_as_eager([](const Tensor& buffer, const Tensor& table, const Tensor& at) {
    return embedding(table, at) * buffer;
  });
}

// All elements of the table are equal, so the result does not depend on the index; it is checked
// nevertheless.
TEST(DataError, of_gathers_that_give_the_same_everywhere) {
  const auto of_table = [](auto make) {
    expect_as_eager([make](const Tensor& buffer, const Tensor& table, const Tensor& at) {
      return index_select(make(buffer, table), 0, at) + 1.0;
    });
  };
  of_table([](const Tensor&, const Tensor&) { return ones({2}); });
  of_table([](const Tensor& buffer, const Tensor&) { return expand(slice(buffer, 0, 0, 1), {2}); });
  of_table([](const Tensor&, const Tensor&) { return full({2, 3}, 0.5) * 2.0; });
}

// In the vectorized part of a row, sixteen indices at a time, and in its remainder.
TEST(DataError, of_an_index_anywhere_in_a_row) {
  init();
  const auto program = [](const Tensor& table, const Tensor& at) { return gather(table, 1, at); };
  auto fast = compile(program);
  const auto said = [](const auto& f, const Tensor& table, const Tensor& at) {
    try {
      const std::vector<float> v = f(table, at).template to_vector<float>();
      return std::string(v.begin(), v.end());
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  constexpr int64_t columns = 100, last = std::numeric_limits<int64_t>::max();
  std::vector<float> numbers(2 * columns);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const Tensor table = Tensor::from<float>(numbers, {2, columns});
  for (const int64_t index : {int64_t{0}, columns - 1, columns, int64_t{-1}, last, -last - 1}) {
    for (const size_t place : {size_t{0}, size_t{17}, size_t{99}, size_t{100}, size_t{199}}) {
      std::vector<int64_t> indices(2 * columns, 3);
      indices[place] = index;
      const Tensor at = Tensor::from<int64_t>(indices, {2, columns});
      const std::string want = said(program, table, at), got = said(fast, table, at);
      EXPECT_TRUE(got.starts_with(want)) << got << '\n' << want;
      EXPECT_EQ(want.find("out of range") == std::string::npos, index >= 0 && index < columns);
    }
  }
}

// The error names the function called by the program, not the ops of the composite.
TEST(DataError, names_the_function_that_the_program_called) {
  expect_as_eager([](const Tensor& buffer, const Tensor& table, const Tensor& at) {
    return take(table, at * 3) + slice(buffer, 0, 0, 2);
  });
  expect_as_eager([](const Tensor& buffer, const Tensor&, const Tensor& at) {
    return put(buffer * 2.0, at, ones({2})) + 1.0;
  });
  expect_as_eager([](const Tensor& buffer, const Tensor&, const Tensor& at) {
    return index_fill(buffer * 2.0, 0, at, 3.0) + 1.0;
  });
  expect_as_eager([](const Tensor& buffer, const Tensor&, const Tensor& at) {
    const Tensor sums = embedding_dense_backward(ones({2, 3}), at, 2);
    return sums * buffer;
  });
  expect_as_eager([](const Tensor& buffer, const Tensor&, const Tensor& at) {
    const Tensor twice = buffer * 2.0;
    return index_fill_(twice, 0, at, 3.0) + 1.0;
  });
}

// A value that the dtype cannot hold is found when it is computed.
TEST(DataError, of_a_tensor_without_dimensions_that_does_not_fit) {
  expect_as_eager([](const Tensor& buffer, const Tensor&, const Tensor& at) {
    const Tensor small = to(buffer * 2.0, DType::i8), value = select(at, 0, 1) * 100;
    return to(masked_fill(small, buffer > 1.5, value), DType::f32) + buffer;
  });
  expect_as_eager([](const Tensor& buffer, const Tensor&, const Tensor& at) {
    const Tensor half = to(buffer, DType::f16), value = select(at, 0, 1) * 1e4;
    return to(index_fill(half, 0, slice(at, 0, 0, 1), value), DType::f32) + buffer;
  });
}

// An op that runs late, because a later function needs its result, keeps its name in the error.
TEST(DataError, of_what_was_called_before_is_not_that_of_the_function_that_needs_it) {
  expect_as_eager([](const Tensor& buffer, const Tensor& table, const Tensor& at) {
    const Tensor rows = embedding(table, at);
    const Tensor some = nonzero(rows > 2.0);
    return median(to(flatten(some), DType::f32)) + buffer;
  });
}

// No index is in range. Known sizes are checked at the call, a data size in the kernel.
TEST(DataError, of_every_index_into_a_computed_table_without_rows) {
  init();
  const auto program = [](const Tensor& table, const Tensor& x) {
    return embedding(exp(table), select(nonzero(x), 1, 0)) + 1.0;
  };
  auto fast = compile(program);
  const auto said = [](const auto& f, const Tensor& x) {
    try {
      return cat(f(zeros({0, 4}), x).sizes());
    } catch (const Error& e) {
      return std::string(e.what());
    }
  };
  const Tensor none = zeros({3}), some = Tensor::from({0.0F, 1.0F, 1.0F}, {3});
  EXPECT_EQ(said(fast, none), "[0, 4]");
  EXPECT_EQ(said(program, none), "[0, 4]");
  EXPECT_NE(
      said(program, some)
          .find("embedding: dimension 0 is empty, so the indices of sizes [2] are out of range"),
      std::string::npos);
  EXPECT_EQ(said(fast, some), said(program, some));
  EXPECT_TRUE(fast.report().fallbacks.empty());
}

TEST(DataError, of_a_gather_whose_indices_are_one_number) {
  init();
  auto fast = compile(
      [](const Tensor& x) { return x + index_select(ones({3}), 0, full({1}, 99, DType::i64)); });
  try {
    (void)fast(ones({1})).to_vector<float>();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find(
                  "index_select: index 99 at position 0 is out of range for size 3"),
              0U)
        << e.what();
  }
}

TEST(DataError, keeps_what_was_written_before_it_and_nothing_behind_it) {
  expect_as_eager([](const Tensor& buffer, const Tensor& table, const Tensor& at) {
    add_(buffer, 1.0);
    const Tensor rows = embedding(table, at);
    mul_(buffer, 10.0);
    return rows + 1.0;
  });
}

TEST(DataError, of_indices_that_wrap_after_a_write) {
  expect_as_eager([](const Tensor& buffer, const Tensor& table, const Tensor& at) {
    add_(buffer, 1.0);
    return index(buffer, {at}) + sum(table);
  });
}

TEST(DataError, of_indices_that_the_call_has_written) {
  expect_as_eager([](const Tensor& buffer, const Tensor& table, const Tensor& at) {
    add_(buffer, 1.0);
    mul_(at, at);
    return embedding(table, at) + sum(buffer);
  });
}

// The most bytes beyond those of its arguments that a call needs after others.
int64_t bytes_of_a_call(const Body& body) {
  init();
  auto fast = compile(body);
  const Tensor buffer = zeros({1 << 14, 64}), table = ones({2, 64});
  const Tensor at = zeros({1 << 14}, DType::i32);
  for (int i = 0; i < 3; ++i) (void)fast(buffer, table, at).to_vector<float>();
  const int64_t live = memory_stats().live_bytes;
  reset_memory_peak();
  (void)fast(buffer, table, at).to_vector<float>();
  EXPECT_EQ(fast.report().segments.size(), 1U);
  return memory_stats().peak_bytes - live;
}

// An error after a write restores what was written from a copy.
TEST(DataError, of_given_indices_is_excluded_without_a_copy_of_what_is_written) {
  const int64_t copied =
      bytes_of_a_call([](const Tensor& b, const Tensor& table, const Tensor& at) {
        add_(b, embedding(table, at + 1));
        return sum(table);
      });
  const int64_t excluded =
      bytes_of_a_call([](const Tensor& b, const Tensor& table, const Tensor& at) {
        add_(b, embedding(table, at));
        return sum(table);
      });
  EXPECT_GE(copied, 4 << 20);
  EXPECT_LT(excluded, 1 << 20);
}

TEST(DataError, in_what_is_written_leaves_it_as_it_was) {
  expect_as_eager([](const Tensor& buffer, const Tensor& table, const Tensor& at) {
    const Tensor twice = buffer * 2.0;
    add_(buffer, sum(embedding(table, at), {0}));
    return twice;
  });
}

}  // namespace
}  // namespace vitro
