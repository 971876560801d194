#include "vitro/analyze/timeline.h"

#include <algorithm>
#include <tuple>

namespace vitro::analyze {
namespace {

int64_t length(const Trace& trace, EventId event) {
  const int64_t dur = trace.dur()[event];
  return dur == none ? 0 : dur;
}

}  // namespace

Timeline::Timeline(const Trace& trace)
    : first_(trace.tracks().size() + 1), self_(trace.size()), parent_(trace.size(), nobody) {
  sort(trace);
  for (uint32_t t = 0; t < tracks(); ++t) nest(trace, track(t));
}

void Timeline::sort(const Trace& trace) {
  const auto phases = trace.phases();
  const auto tracks = trace.track_ids();
  for (EventId e = 0; e < trace.size(); ++e) {
    if (phases[e] == 'X') ++first_[tracks[e] + 1];
  }
  for (size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
  order_.resize(first_.back());
  std::vector<size_t> next(first_.begin(), first_.end() - 1);
  for (EventId e = 0; e < trace.size(); ++e) {
    if (phases[e] == 'X') order_[next[tracks[e]]++] = e;
  }
  const auto ts = trace.ts();
  const auto before = [&](EventId a, EventId b) {
    return std::tuple(ts[a], -length(trace, a), a) < std::tuple(ts[b], -length(trace, b), b);
  };
  for (size_t t = 0; t + 1 < first_.size(); ++t) {
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first_[t]);
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(first_[t + 1]);
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
  }
}

void Timeline::nest(const Trace& trace, std::span<const EventId> events) {
  const auto ts = trace.ts();
  std::vector<EventId> open;
  for (const EventId e : events) {
    const int64_t begin = ts[e], end = begin + length(trace, e);
    const auto end_of = [&](EventId outer) { return ts[outer] + length(trace, outer); };
    while (!open.empty() && end_of(open.back()) <= begin) open.pop_back();
    self_[e] = end - begin;
    if (!open.empty() && end_of(open.back()) < end) {
      crossing_.push_back(e);
      continue;
    }
    if (!open.empty()) {
      parent_[e] = open.back();
      self_[open.back()] -= end - begin;
    }
    open.push_back(e);
  }
}

}  // namespace vitro::analyze
