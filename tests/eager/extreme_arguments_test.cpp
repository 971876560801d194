// Positions, steps and counts at the limits of 64 bits as arguments of ops.
#include <gtest/gtest.h>

#include <cmath>

#include "eager/eager.h"
#include "error_of.h"
#include "vitro/ops/all.h"
#include "vitro/ops/rearrange.h"

namespace vitro {
namespace {

class ExtremeArguments : public testing::Test {
 protected:
  static void SetUpTestSuite() { eager::init(); }
};

constexpr int64_t largest = INT64_MAX, least = INT64_MIN, very_many = int64_t{1} << 40;

using Whole = std::vector<int64_t>;

Whole numbers(const Tensor& x) {
  return x.to_vector<int64_t>();
}

Tensor long_row() {
  return expand(zeros({1}), {very_many});
}

}  // namespace

TEST_F(ExtremeArguments, arange_counts_ways_longer_than_64_bits_hold) {
  EXPECT_EQ(numbers(arange(least, largest, int64_t{1} << 62)),
            (Whole{least, -(int64_t{1} << 62), 0, int64_t{1} << 62}));
  EXPECT_EQ(numbers(arange(largest, least, least)), (Whole{largest, -1}));
  EXPECT_EQ(numbers(arange(0, 5, largest)), Whole{0});
  EXPECT_EQ(numbers(arange(5, 0, -2)), (Whole{5, 3, 1}));
}

// 10^4.3 is 19952.6; PyTorch rounds the start to the dtype only where there are several.
TEST_F(ExtremeArguments, logspace_of_one_step_is_the_power_of_the_start_itself) {
  const Tensor start = full({}, 4.3, DType::f64);
  for (const Tensor& one :
       {logspace(4.3, 1, 1, 10, DType::f16), logspace_between(start, 1, 1, 10, DType::f16)}) {
    EXPECT_EQ(one.rank(), 1);
    EXPECT_EQ(to(one, DType::f64).item<double>(), 19952);
  }
  EXPECT_EQ(logspace(2.9, 5, 1, 10, DType::i64).item<int64_t>(), 794);
  EXPECT_EQ(logspace_between(full({}, 2.9), 5, 1, 10, DType::i64).item<int64_t>(), 794);
  EXPECT_EQ(select(logspace(2.9, 1, 2, 10, DType::i64), 0, 0).item<int64_t>(), 100);
}

TEST_F(ExtremeArguments, arange_says_which_bounds_it_cannot_take) {
  EXPECT_EQ(error_of([] { (void)arange(std::nan(""), 5.0); }),
            "arange: from nan to 5.0 by 1 does not end; needs finite bounds");
  EXPECT_EQ(error_of([] { (void)arange(0.0, 5.0, std::nan("")); }), "arange: step must not be nan");
  EXPECT_EQ(error_of([] { (void)arange(0.0, 1e30); }),
            "arange: from 0.0 to 1e+30 by 1 has 1e+30 elements, more than a tensor can have");
  EXPECT_EQ(error_of([] { (void)arange(least, largest); }),
            "arange: from -9223372036854775808 to 9223372036854775807 by 1 has "
            "18446744073709551616.0 elements, more than a tensor can have");
}

TEST_F(ExtremeArguments, a_diagonal_far_outside_keeps_all_or_nothing) {
  const Tensor x = reshape(arange(1, 5), {2, 2});
  for (const int64_t far : {int64_t{1} << 53, largest - 512, largest - 511, largest}) {
    EXPECT_EQ(numbers(tril(x, far)), (Whole{1, 2, 3, 4})) << far;
    EXPECT_EQ(numbers(triu(x, far)), (Whole{0, 0, 0, 0})) << far;
    EXPECT_EQ(numbers(tril(x, -far - 1)), (Whole{0, 0, 0, 0})) << far;
    EXPECT_EQ(numbers(triu(x, -far - 1)), (Whole{1, 2, 3, 4})) << far;
  }
}

TEST_F(ExtremeArguments, a_step_past_the_end_takes_the_first_element) {
  EXPECT_EQ(numbers(slice(arange(5), 0, 1, largest, largest)), Whole{1});
  EXPECT_EQ(numbers(slice(arange(5), 0, 1, 4, 1000)), Whole{1});
  EXPECT_EQ(cat(slice(arange(5), 0, 1, 4, 1000).strides()), "[1000]") << "as PyTorch's";
  EXPECT_EQ(numbers(slice(expand(arange(2), {3, 2}), 0, 1, largest, largest)), (Whole{0, 1}));
  EXPECT_EQ(numbers(slice(arange(5), 0, 5, largest, largest)), Whole{});
  EXPECT_EQ(numbers(slice_scatter(arange(3), full({1}, 7, DType::i64), 0, 1, largest, largest)),
            (Whole{0, 7, 2}));
}

TEST_F(ExtremeArguments, narrow_counts_from_the_end_and_names_what_it_was_given) {
  EXPECT_EQ(numbers(narrow(arange(3), 0, -2, 2)), (Whole{1, 2}));
  EXPECT_EQ(numbers(narrow(arange(3), 0, 3, 0)), Whole{});
  EXPECT_EQ(error_of([] { (void)narrow(arange(3), 0, -5, 1); }),
            "narrow: start -5 and length 1 leave dimension 0 of size 3");
  EXPECT_EQ(error_of([] { (void)narrow(arange(3), 0, 1, largest); }),
            "narrow: start 1 and length 9223372036854775807 leave dimension 0 of size 3");
  EXPECT_EQ(error_of([] { (void)narrow(arange(3), 0, 0, -1); }),
            "narrow: length must not be negative, got -1");
}

TEST_F(ExtremeArguments, a_window_of_nothing_lies_in_the_memory_or_at_its_end) {
  EXPECT_EQ(numbers(as_strided(arange(3), {0}, {1}, 3)), Whole{});
  EXPECT_EQ(numbers(as_strided(arange(3), {0, very_many}, {very_many, very_many})), Whole{});
  EXPECT_EQ(error_of([] { (void)as_strided(arange(3), {0}, {1}, 5); }),
            "as_strided: offset 5 is past the end of 3 elements");
  EXPECT_EQ(error_of([] { (void)as_strided(arange(3), {2}, {1}, 2); }),
            "as_strided: sizes [2], strides [1] and offset 2 reach element 3 of 3");
  EXPECT_EQ(error_of([] { (void)as_strided(arange(3), {2}, {1}, -1); }),
            "as_strided: the offset must not be negative, got -1");
}

TEST_F(ExtremeArguments, a_write_through_a_window_needs_a_place_for_each_element) {
  EXPECT_EQ(error_of([] { (void)as_strided_scatter(arange(3), arange(3), {3}, {0}); }),
            "as_strided_scatter: the 3 elements of src along dimension 0 would overwrite each "
            "other, because its stride is 0; use another stride");
  EXPECT_EQ(error_of([] { (void)as_strided_scatter(arange(9), zeros({2, 3}), {2, 3}, {2, 1}); }),
            "as_strided_scatter: elements of src may overwrite each other: a stride of 2 is not "
            "larger than the 2 that smaller strides step over (sizes [2, 3], strides [2, 1]); use "
            "larger strides");
  EXPECT_EQ(numbers(as_strided_scatter(arange(3), full({1, 2}, 7, DType::i64), {1, 2}, {0, 2})),
            (Whole{7, 1, 7}));
}

TEST_F(ExtremeArguments, diagonals_outside_of_the_matrix_are_empty) {
  const Tensor x = view(arange(6), {2, 3}), none = zeros({0}, DType::i64);
  for (const int64_t offset : {largest, least, int64_t{3}, int64_t{-2}}) {
    EXPECT_EQ(numbers(diagonal(x, offset)), Whole{}) << offset;
    EXPECT_EQ(numbers(diagonal_scatter(x, none, offset)), (Whole{0, 1, 2, 3, 4, 5})) << offset;
  }
  EXPECT_EQ(error_of([&] { (void)diagonal_scatter(x, arange(1), largest); }),
            "diagonal_scatter: src has sizes [1], the place for it has sizes [0]");
}

TEST_F(ExtremeArguments, lists_of_very_many_tensors_are_refused_at_once) {
  EXPECT_EQ(
      error_of([] { (void)unbind(long_row()); }),
      "unbind: returns 1099511627776 tensors, more than the 16777216 that one call may return");
  EXPECT_EQ(
      error_of([] { (void)split(long_row(), 1); }),
      "split: returns 1099511627776 tensors, more than the 16777216 that one call may return");
  EXPECT_EQ(
      error_of([] { (void)chunk(zeros({0}), very_many); }),
      "chunk: returns 1099511627776 tensors, more than the 16777216 that one call may return");
  EXPECT_EQ(split(long_row(), largest).size(), 1u);
  EXPECT_EQ(chunk(arange(3), very_many).size(), 3u);
}

}  // namespace vitro
