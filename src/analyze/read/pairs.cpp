#include "analyze/read/pairs.h"

namespace vitro::analyze {

void EventPairs::Open::push(const Begin& begin) {
  of_name_[begin.name].push_back(begins_.size());
  begins_.push_back(begin);
  ++size_;
}

std::optional<EventPairs::Begin> EventPairs::Open::end(uint32_t name, int64_t ts) {
  if (begins_.empty()) return std::nullopt;
  auto of_name = of_name_.find(name);
  if (of_name == of_name_.end()) of_name = of_name_.find(begins_.back().name);
  const size_t index = of_name->second.back();
  const Begin begin = begins_[index];
  if (begin.ts > ts) return std::nullopt;
  of_name->second.pop_back();
  if (of_name->second.empty()) of_name_.erase(of_name);
  begins_[index].event = ended;
  while (!begins_.empty() && begins_.back().event == ended) begins_.pop_back();
  --size_;
  return begin;
}

EventPairs::Open& EventPairs::open_of(const Rows& rows, size_t row) {
  return is_async(rows.phase[row]) ? by_id_[{rows.category[row], rows.link[row], rows.name[row]}]
                                   : by_track_[rows.track[row]];
}

void EventPairs::add(Rows& rows, uint64_t first, const Complete& complete) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const char phase = rows.phase[i];
    if (phase == 'B' || phase == 'b') open_of(rows, i).push({first + i, rows.ts[i], rows.name[i]});
    if (phase != 'E' && phase != 'e') continue;
    const auto begin = open_of(rows, i).end(rows.name[i], rows.ts[i]);
    if (!begin) {
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
  }
}

uint64_t EventPairs::begins_left() const {
  uint64_t sum = 0;
  for (const auto& [track, open] : by_track_) sum += open.size();
  for (const auto& [id, open] : by_id_) sum += open.size();
  return sum;
}

}  // namespace vitro::analyze
