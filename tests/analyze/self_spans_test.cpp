#include "analyze/model/self_spans.h"

#include <gtest/gtest.h>

#include <tuple>

namespace vitro::analyze {
namespace {

using Part = std::tuple<size_t, int64_t, int64_t>;

std::vector<Part> parts_of(std::span<const Window> windows,
                           std::span<const std::pair<int64_t, int64_t>> pieces) {
  WindowCutter cutter(windows);
  std::vector<Part> out;
  for (const auto& [begin, end] : pieces)
    cutter.cut(begin, end,
               [&](size_t w, int64_t from, int64_t to) { out.emplace_back(w, from, to); });
  return out;
}

TEST(WindowCutter, cuts_pieces_at_the_bounds_of_windows_that_overlap) {
  const Window windows[] = {{0, 100}, {0, 10}, {10, 20}, {15, 40}, {90, 95}, {200, 210}};
  const std::pair<int64_t, int64_t> pieces[] = {{-5, 5}, {5, 18}, {30, 30}, {41, 92}, {94, 300}};
  const std::vector<Part> want{{0, 0, 5},    {1, 0, 5},   {0, 5, 18},   {1, 5, 10},
                               {2, 10, 18},  {3, 15, 18}, {0, 41, 92},  {4, 90, 92},
                               {0, 94, 100}, {4, 94, 95}, {5, 200, 210}};
  EXPECT_EQ(parts_of(windows, pieces), want);
}

}  // namespace
}  // namespace vitro::analyze
