#include "analyze/model/pieces.h"

#include <algorithm>
#include <utility>

namespace vitro::analyze {
namespace {

constexpr size_t most_pieces = size_t{1} << 16;

}  // namespace

void Pieces::add(int64_t begin, int64_t end) {
  if (end <= begin) return;
  list_.push_back({begin, end});
  if (list_.size() >= 4 * most_pieces) compact();
}

void Pieces::add(const std::vector<Window>& list) {
  for (const Window& each : list) add(each.begin, each.end);
}

void Pieces::add(const Intervals& list) {
  for (const Interval& each : list) add(each.begin, each.end);
}

void Pieces::compact() {
  std::ranges::sort(list_, [](const Window& a, const Window& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (bool many = true; many;) {
    std::vector<Window> apart;
    for (const Window& each : list_) {
      if (apart.empty() || each.begin - apart.back().end > near_) {
        apart.push_back(each);
      } else {
        apart.back().end = std::max(apart.back().end, each.end);
      }
    }
    list_ = std::move(apart);
    many = list_.size() > most_pieces;
    if (many) near_ = std::max<int64_t>(2 * near_, 1'000);
  }
}

std::vector<Window> Pieces::take(const Window& window) {
  compact();
  std::vector<Window> out;
  for (const Window& each : list_) {
    const Window part{std::max(each.begin, window.begin), std::min(each.end, window.end)};
    if (part.length() > 0) out.push_back(part);
  }
  list_.clear();
  return out;
}

}  // namespace vitro::analyze
