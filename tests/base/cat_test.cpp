#include "vitro/base/cat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "vitro/base/small_vector.h"

namespace vitro {
namespace {

TEST(Cat, joins_text_numbers_and_lists) {
  const char* pointer = "rows";
  EXPECT_EQ(cat("got ", 3, " ", pointer, ", ", true, ", ", std::string("x"), 'y'),
            "got 3 rows, true, xy");
  EXPECT_EQ(cat(SmallVector<int64_t>{1, 2, 3}), "[1, 2, 3]");
}

TEST(Cat, prints_the_shortest_number_that_reads_back) {
  EXPECT_EQ(cat(1.0), "1.0");
  EXPECT_EQ(cat(0.1), "0.1");
  EXPECT_EQ(cat(0.1F), "0.1");
  EXPECT_EQ(cat(1e300), "1e+300");
  EXPECT_EQ(cat(-INFINITY, " ", INFINITY, " ", std::nan("")), "-inf inf nan");
  EXPECT_EQ(std::stod(cat(0.1 + 0.2)), 0.1 + 0.2);
}

TEST(SmallVector, grows_past_its_inline_room_and_keeps_values) {
  SmallVector<int64_t, 2> v{1, 2};
  for (int64_t i = 3; i <= 20; ++i) v.push_back(i);
  v.insert(0, 0);
  v.erase(1);
  EXPECT_EQ(v.size(), 20u);
  EXPECT_EQ(v[0], 0);
  EXPECT_EQ(v[19], 20);
  const SmallVector<int64_t, 2> copy = v;
  const SmallVector<int64_t, 2> moved = std::move(v);
  EXPECT_EQ(copy, moved);
}

}  // namespace
}  // namespace vitro
