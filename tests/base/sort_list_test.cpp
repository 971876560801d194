#include "base/sort_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace vitro {
namespace {

struct Row {
  int key;
  std::string text;
  bool operator==(const Row&) const = default;
};

std::vector<Row> rows(size_t count, uint32_t keys) {
  std::vector<Row> out;
  uint32_t random = 7;
  for (size_t i = 0; i < count; ++i) {
    random = random * 1664525 + 1013904223;
    out.push_back({static_cast<int>((random >> 16) % keys), "row " + std::to_string(i)});
  }
  return out;
}

TEST(SortList, gives_what_the_stable_sort_of_the_standard_library_gives) {
  for (const size_t count : {0, 1, 2, 3, 16, 17, 100, 1000}) {
    for (const uint32_t keys : {1, 2, 10, 100000}) {
      std::vector<Row> list = rows(count, keys), expected = list;
      sort_list(list, {}, &Row::key);
      std::ranges::stable_sort(expected, {}, &Row::key);
      EXPECT_EQ(list, expected) << count << " rows of " << keys << " keys";
      sort_list(list, std::greater(), &Row::key);
      std::ranges::stable_sort(expected, std::greater(), &Row::key);
      EXPECT_EQ(list, expected) << count << " rows of " << keys << " keys, in descending order";
    }
  }
}

TEST(SortList, keeps_a_sorted_list_and_reverses_a_reversed_one) {
  std::vector<int> list = {1, 2, 3, 4};
  sort_list(list);
  EXPECT_EQ(list, (std::vector{1, 2, 3, 4}));
  sort_list(list, std::greater());
  EXPECT_EQ(list, (std::vector{4, 3, 2, 1}));
}

}  // namespace
}  // namespace vitro
