#include "analyze/model/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

namespace vitro::analyze {
namespace {

Intervals of(std::vector<std::pair<int64_t, int64_t>> list) {
  Intervals out;
  for (const auto& [begin, end] : list) out.add(begin, end);
  return out;
}

std::vector<std::pair<int64_t, int64_t>> ends(const Intervals& intervals) {
  std::vector<std::pair<int64_t, int64_t>> out;
  for (const Interval& each : intervals) out.emplace_back(each.begin, each.end);
  return out;
}

using Ends = std::vector<std::pair<int64_t, int64_t>>;

TEST(Intervals, that_overlap_or_touch_become_one) {
  EXPECT_EQ(ends(of({{0, 5}, {3, 4}, {5, 7}, {9, 9}, {9, 12}})), (Ends{{0, 7}, {9, 12}}));
  EXPECT_EQ(of({{0, 5}, {3, 9}, {20, 21}}).length(), 10);
  EXPECT_EQ(Intervals().length(), 0);
}

TEST(Intervals, know_how_much_of_a_window_they_cover) {
  const Intervals some = of({{0, 5}, {10, 20}, {30, 31}});
  EXPECT_EQ(some.length_in(-5, 100), 16);
  EXPECT_EQ(some.length_in(4, 11), 2);
  EXPECT_EQ(some.length_in(5, 10), 0);
  EXPECT_EQ(some.length_in(12, 15), 3);
  EXPECT_EQ(some.length_in(15, 12), 0);
  EXPECT_EQ(some.length_in(40, 50), 0);
}

TEST(Intervals, are_united_intersected_and_subtracted) {
  const Intervals a = of({{0, 10}, {20, 30}}), b = of({{5, 22}, {24, 26}, {40, 50}});
  EXPECT_EQ(ends(united(a, b)), (Ends{{0, 30}, {40, 50}}));
  EXPECT_EQ(ends(common(a, b)), (Ends{{5, 10}, {20, 22}, {24, 26}}));
  EXPECT_EQ(ends(without(a, b)), (Ends{{0, 5}, {22, 24}, {26, 30}}));
  EXPECT_EQ(ends(without(b, a)), (Ends{{10, 20}, {40, 50}}));
}

// Compared with asking the same about each moment.
TEST(Intervals, agree_with_sets_of_moments) {
  constexpr int moments = 64;
  std::mt19937 random(7);
  const auto draw = [&] {
    std::vector<std::pair<int64_t, int64_t>> list(random() % 8);
    for (auto& [begin, end] : list) {
      begin = static_cast<int64_t>(random() % moments);
      end = begin + static_cast<int64_t>(random() % 12);
    }
    std::ranges::sort(list);
    return list;
  };
  const auto bits = [](const auto& list) {
    std::string out(moments + 12, '0');
    for (const auto& [begin, end] : list)
      for (int64_t t = begin; t < end; ++t) out[static_cast<size_t>(t)] = '1';
    return out;
  };
  for (int round = 0; round < 500; ++round) {
    const Ends a = draw(), b = draw();
    const std::string x = bits(a), y = bits(b);
    std::string either = x, both = x, only = x;
    for (size_t t = 0; t < x.size(); ++t) {
      either[t] = x[t] == '1' || y[t] == '1' ? '1' : '0';
      both[t] = x[t] == '1' && y[t] == '1' ? '1' : '0';
      only[t] = x[t] == '1' && y[t] == '0' ? '1' : '0';
    }
    EXPECT_EQ(bits(ends(united(of(a), of(b)))), either) << round;
    EXPECT_EQ(bits(ends(common(of(a), of(b)))), both) << round;
    EXPECT_EQ(bits(ends(without(of(a), of(b)))), only) << round;
    const auto from = static_cast<int64_t>(random() % moments);
    const int64_t to = from + static_cast<int64_t>(random() % 12);
    EXPECT_EQ(of(a).length_in(from, to), std::count(x.begin() + from, x.begin() + to, '1'))
        << round;
  }
}

}  // namespace
}  // namespace vitro::analyze
