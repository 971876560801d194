#include "vitro/core/reach.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "vitro/base/error.h"

namespace vitro {
namespace {

constexpr int64_t huge = int64_t{1} << 40;

TEST(Reach, counts_elements_and_bytes_and_refuses_what_64_bits_cannot_count) {
  EXPECT_EQ(count_of(Ints{2, 3, 4}), 24);
  EXPECT_EQ(bytes_for("op", Ints{2, 3}, DType::f64), 48);
  EXPECT_EQ(count_of(Ints{huge, huge, 0}), 0);
  EXPECT_EQ(count_of(Ints{0, huge, huge}), 0);
  EXPECT_EQ(count_of(Ints{}), 1);
  EXPECT_EQ(
      error_of([] { (void)count_of(Ints{huge, huge}, "op"); }),
      "op: a tensor of sizes [1099511627776, 1099511627776] has more elements than 64 bits can "
      "count");
  EXPECT_EQ(error_of([] { (void)bytes_for("op", Ints{int64_t{1} << 61}, DType::f32); }),
            "op: a tensor of sizes [2305843009213693952] has more bytes than 64 bits can count");
  EXPECT_EQ(error_of([] { (void)count_of(Ints{0, -2}, "op"); }),
            "op: sizes must not be negative, got [0, -2]");
}

TEST(Reach, spans_the_bytes_from_the_first_element_to_behind_the_last) {
  const auto reach = [](const Ints& sizes, const Ints& strides, int64_t offset) {
    const Reach r = reach_of("op", DType::f32, sizes, strides, offset);
    return std::pair(r.begin, r.end);
  };
  EXPECT_EQ(reach({2, 3}, {3, 1}, 0), std::pair(int64_t{0}, int64_t{24}));
  EXPECT_EQ(reach({3}, {-2}, 5), std::pair(int64_t{4}, int64_t{24}));
  EXPECT_EQ(reach({huge}, {0}, 1), std::pair(int64_t{4}, int64_t{8}));
  EXPECT_EQ(reach({0, 3}, {3, 1}, 9), std::pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(error_of([] { (void)reach_of("op", DType::f32, Ints{huge}, Ints{huge}); }),
            "op: sizes [1099511627776], strides [1099511627776] and offset 0 cover a range of "
            "bytes that overflows 64 bits");
  EXPECT_EQ(error_of([] { (void)reach_of("op", DType::f32, Ints{2, 2}, Ints{1}); }),
            "op: got 2 sizes and 1 strides");
}

TEST(Reach, no_tensor_has_less_memory_than_its_sizes_say) {
  for (const Ints& sizes : {Ints{int64_t{1} << 62}, Ints{int64_t{1} << 61, 8}, Ints{huge, huge, 2},
                            Ints{2, huge, huge}, Ints{0, huge, huge}}) {
    EXPECT_NE(error_of([&] { (void)Tensor::empty(sizes); }), "") << cat(sizes);
  }
  EXPECT_EQ(error_of([] { (void)Tensor::empty({-1, 3}); }),
            "empty: sizes must not be negative, got [-1, 3]");
  EXPECT_EQ(error_of([] { (void)Tensor::from({1.0F}, {-1, -1}); }),
            "from: sizes must not be negative, got [-1, -1]");
  EXPECT_NE(
      error_of([] { (void)Tensor::empty_strided(Ints{3, 3}, Ints{huge, huge << 21}, DType::f32); }),
      "");
}

TEST(Reach, a_window_stays_inside_of_its_storage) {
  const Tensor x = Tensor::from({1.0F, 2.0F, 3.0F, 4.0F}, {4});
  const auto window = [&](const Ints& sizes, const Ints& strides, int64_t offset,
                          DType dtype = DType::f32) {
    return error_of([&] { (void)Tensor::over(x.storage(), dtype, sizes, strides, offset); });
  };
  EXPECT_EQ(window({2, 2}, {2, 1}, 0), "");
  EXPECT_EQ(window({4}, {-1}, 3), "");
  EXPECT_EQ(window({0}, {1}, 4), "");
  EXPECT_EQ(window({huge}, {0}, 3), "");
  EXPECT_EQ(window({5}, {1}, 0),
            "over: sizes [5], strides [1] and offset 0 of f32 cover bytes 0 to 20 of a storage of "
            "16 bytes");
  for (const std::string& error :
       {window({4}, {1}, 1), window({4}, {-1}, 2), window({3}, {1}, 0, DType::f64),
        window({1}, {1}, -1), window({0}, {1}, INT64_MAX), window({2}, {INT64_MAX}, 0),
        window({huge, huge}, {0, 0}, 0)}) {
    EXPECT_NE(error, "");
  }
}

}  // namespace
}  // namespace vitro
