#include "analyze/read/pairs.h"

#include <algorithm>

namespace vitro::analyze {

std::vector<EventPairs::Begin>& EventPairs::open_of(const Rows& rows, size_t row) {
  return is_async(rows.phase[row]) ? by_id_[{rows.category[row], rows.link[row], rows.name[row]}]
                                   : by_track_[rows.track[row]];
}

void EventPairs::add(Rows& rows, uint64_t first, const Complete& complete) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const char phase = rows.phase[i];
    if (phase == 'B' || phase == 'b')
      open_of(rows, i).push_back({first + i, rows.ts[i], rows.name[i]});
    if (phase != 'E' && phase != 'e') continue;
    std::vector<Begin>& open = open_of(rows, i);
    auto begin = std::ranges::find(open.rbegin(), open.rend(), rows.name[i], &Begin::name);
    if (begin == open.rend()) begin = open.rbegin();
    if (begin == open.rend() || begin->ts > rows.ts[i]) {
      ++ends_left_;
      continue;
    }
    const int64_t dur = rows.ts[i] - begin->ts;
    if (begin->event >= first) {
      const size_t row = begin->event - first;
      rows.dur[row] = dur;
      if (phase == 'e') rows.link[row] = none;
      rows.phase[row] = 'X';
    } else {
      complete(begin->event, dur, phase == 'e');
    }
    open.erase(std::prev(begin.base()));
  }
}

uint64_t EventPairs::begins_left() const {
  uint64_t sum = 0;
  for (const auto& [track, open] : by_track_) sum += open.size();
  for (const auto& [id, open] : by_id_) sum += open.size();
  return sum;
}

}  // namespace vitro::analyze
