#include "analyze/model/timeline.h"

#include <algorithm>

#include "analyze/model/self_spans.h"
#include "analyze/model/sort_runs.h"

namespace vitro::analyze {
namespace {

int64_t length(const Trace& trace, EventId event) {
  const int64_t dur = trace.dur()[event];
  return dur == none ? 0 : dur;
}

}  // namespace

void TrackOrder::sort(const Trace& trace) {
  const auto ts = trace.ts();
  const auto before = [&](EventId a, EventId b) {
    return ts[a] != ts[b] ? ts[a] < ts[b] : length(trace, a) > length(trace, b);
  };
  for (size_t t = 0; t + 1 < first_.size(); ++t) {
    sort_runs(std::span(order_).subspan(first_[t], first_[t + 1] - first_[t]), before);
  }
}

Timeline::Timeline(const Trace& trace)
    : order_(trace, [](EventId) { return true; }),
      self_(trace.size()),
      parent_(trace.size(), nobody) {
  for (uint32_t t = 0; t < tracks(); ++t) nest(trace, track(t));
}

void Timeline::nest(const Trace& trace, std::span<const EventId> events) {
  const auto ts = trace.ts();
  const size_t crossing_before = crossing_.size();
  std::vector<EventId> open;
  for (const EventId e : paced(events)) {
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
  if (crossing_.size() > crossing_before) nest_crossing(trace, events);
}

// The same for a track with crossing events, which also enclose others.
void Timeline::nest_crossing(const Trace& trace, std::span<const EventId> events) {
  for (const EventId e : events) self_[e] = 0;
  each_self(trace, events, [&](EventId e, int64_t begin, int64_t end) { self_[e] += end - begin; });
  std::vector<EventId> open;
  for (const EventId e : events) {
    while (!open.empty() && end_of(trace, open.back()) <= trace.ts()[e]) open.pop_back();
    const auto holds = std::find_if(open.rbegin(), open.rend(), [&](EventId outer) {
      return end_of(trace, outer) >= end_of(trace, e);
    });
    parent_[e] = holds == open.rend() ? nobody : *holds;
    open.push_back(e);
  }
}

}  // namespace vitro::analyze
