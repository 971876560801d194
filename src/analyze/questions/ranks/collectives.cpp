#include "analyze/questions/ranks/collectives.h"

#include "analyze/model/index.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace vitro::analyze {
namespace {

// Ends of the same collective differ by less than this, ends of different ones hardly ever.
constexpr int64_t together = 1'000'000;

int64_t median(std::vector<int64_t> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

// The longest run of ascending numbers within `together`.
std::vector<int64_t> densest(const std::vector<int64_t>& sorted) {
  size_t first = 0, best = 0, most = 0;
  for (size_t last = 0; last < sorted.size(); ++last) {
    while (sorted[last] - sorted[first] > together) ++first;
    if (last + 1 - first > most) most = last + 1 - first, best = first;
  }
  const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(best);
  return {begin, begin + static_cast<std::ptrdiff_t>(most)};
}

struct Entry {
  uint64_t what;
  int64_t end;
  size_t rank, index;
};

}  // namespace

Alignment align(const std::vector<Collective>& reference, const std::vector<Collective>& other) {
  std::map<uint64_t, int64_t> ends;
  for (const Collective& c : reference) ends.emplace(c.turn, c.end);
  std::vector<int64_t> differences;
  for (const Collective& c : other) {
    const auto found = ends.find(c.turn);
    if (found != ends.end()) differences.push_back(found->second - c.end);
  }
  if (differences.empty()) return {};
  std::ranges::sort(differences);
  std::vector<int64_t> kept = densest(differences);
  Alignment out{true, median(kept), 0};
  for (int64_t& each : kept) each = std::abs(each - out.offset);
  out.spread = median(std::move(kept));
  return out;
}

std::vector<Together> match(const std::vector<std::vector<Collective>>& ranks,
                            const std::vector<int64_t>& offsets) {
  std::vector<Entry> all;
  for (size_t r = 0; r < ranks.size(); ++r) {
    for (size_t i = 0; i < ranks[r].size(); ++i)
      all.push_back({ranks[r][i].what, ranks[r][i].end + offsets[r], r, i});
  }
  std::ranges::sort(all, {}, [](const Entry& e) { return std::tuple(e.what, e.end, e.rank); });
  std::vector<Together> out;
  Together group;
  std::vector<bool> taken(ranks.size());
  const auto finish = [&] {
    if (group.size() > 1) out.push_back(group);
    for (const auto& [rank, index] : group) taken[rank] = false;
    group.clear();
  };
  for (size_t i = 0, first = 0; i < all.size(); ++i) {
    const Entry& e = all[i];
    const bool joins = !group.empty() && e.what == all[first].what &&
                       e.end - all[first].end <= together && !taken[e.rank];
    if (!joins) {
      finish();
      first = i;
    }
    group.emplace_back(e.rank, e.index);
    taken[e.rank] = true;
  }
  finish();
  return out;
}

}  // namespace vitro::analyze
