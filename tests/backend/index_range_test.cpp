#include "backend/run/index_range.h"

#include <gtest/gtest.h>

#include "vitro/init.h"
#include "vitro/ops/all.h"

namespace vitro::backend {
namespace {

bool in_range(const Tensor& indices, int64_t bound, bool wraps) {
  init();
  return are_in_range(*indices.impl(), bound, wraps);
}

TEST(IndexRange, is_from_0_to_below_the_bound) {
  const Tensor indices = Tensor::from<int64_t>({3, 0, 2}, {3});
  EXPECT_TRUE(in_range(indices, 4, false));
  EXPECT_FALSE(in_range(indices, 3, false));
  EXPECT_FALSE(in_range(Tensor::from<int64_t>({0, -1}, {2}), 4, false));
}

TEST(IndexRange, begins_at_minus_the_bound_if_indices_wrap) {
  const Tensor indices = Tensor::from<int64_t>({-4, 3}, {2});
  EXPECT_TRUE(in_range(indices, 4, true));
  EXPECT_FALSE(in_range(indices, 3, true));
  EXPECT_FALSE(in_range(Tensor::from<int64_t>({-5}, {1}), 4, true));
}

TEST(IndexRange, is_known_for_each_type_of_integers) {
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8}) {
    const Tensor indices = to(Tensor::from<int64_t>({5, 100}, {2}), dtype);
    EXPECT_TRUE(in_range(indices, 101, false));
    EXPECT_FALSE(in_range(indices, 100, false));
  }
  EXPECT_FALSE(in_range(zeros({2}), 4, false));
  EXPECT_FALSE(in_range(zeros({2}, DType::boolean), 4, false));
}

TEST(IndexRange, takes_elements_between_those_of_a_view_for_indices) {
  const Tensor all = Tensor::from<int64_t>({1, 9, 2, 3, 9, 9, 9}, {7});
  EXPECT_TRUE(in_range(slice(all, 0, 2, 4), 4, false));
  EXPECT_TRUE(in_range(as_strided(all, {2, 1}, {2, 1}, 1), 10, false));
  EXPECT_FALSE(in_range(slice(all, 0, 0, 3, 2), 4, false)) << "not known: the 9 between 1 and 2";
  EXPECT_FALSE(in_range(slice(all, 0, 0, 7, 3), 10, false)) << "not known: too much to read";
}

TEST(IndexRange, without_elements_needs_a_bound) {
  EXPECT_TRUE(in_range(zeros({0}, DType::i64), 1, false));
  EXPECT_FALSE(in_range(zeros({0}, DType::i64), 0, false));
}

}  // namespace
}  // namespace vitro::backend
