#include "analyze/model/sort_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace vitro::analyze {
namespace {

using Entry = std::pair<int, int>;  // key; original position

std::vector<Entry> entries(const std::vector<int>& keys) {
  std::vector<Entry> out;
  for (const int key : keys) out.emplace_back(key, static_cast<int>(out.size()));
  return out;
}

// Sorted; equal entries keep their order.
void expect_sorted(const std::vector<int>& keys) {
  std::vector<Entry> list = entries(keys), wanted = list;
  std::ranges::stable_sort(wanted, {}, &Entry::first);
  sort_runs_by(list, &Entry::first);
  EXPECT_EQ(list, wanted);
}

TEST(SortRuns, leaves_nothing_alone) {
  expect_sorted({});
  expect_sorted({7});
}

TEST(SortRuns, is_stable_whatever_the_order_is) {
  std::mt19937 random(1);
  for (const int size : {2, 31, 32, 33, 64, 65, 1000, 5000}) {
    for (const int most : {1, 3, 100, 1000000}) {
      std::vector<int> keys(static_cast<size_t>(size));
      for (int& key : keys) key = std::uniform_int_distribution(0, most)(random);
      expect_sorted(keys);
      std::ranges::sort(keys, std::ranges::greater());
      expect_sorted(keys);
    }
  }
}

TEST(SortRuns, merges_runs_that_overlap_and_runs_that_do_not) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<int> keys;
    for (int run = 0; run < 9; ++run) {
      const int length = std::uniform_int_distribution(1, 300)(random);
      int key = std::uniform_int_distribution(0, 500)(random);
      for (int i = 0; i < length; ++i)
        keys.push_back(key += std::uniform_int_distribution(0, 2)(random));
    }
    expect_sorted(keys);
  }
}

size_t comparisons_of(std::vector<int> keys) {
  size_t count = 0;
  sort_runs(std::span(keys), [&](int a, int b) {
    ++count;
    return a < b;
  });
  EXPECT_TRUE(std::ranges::is_sorted(keys));
  return count;
}

TEST(SortRuns, compares_what_is_in_order_but_for_few_places_about_once) {
  constexpr int size = 100000;
  std::vector<int> keys;
  for (int i = 0; i < size; ++i) keys.push_back(i);
  EXPECT_LT(comparisons_of(keys), size + 10);
  // A hundred writers, one after the other, each a few entries out of order.
  for (int i = 1000; i < size; i += 1000) std::rotate(&keys[i - 5], &keys[i], &keys[i + 5]);
  EXPECT_LT(comparisons_of(keys), 2 * size);
}

}  // namespace
}  // namespace vitro::analyze
