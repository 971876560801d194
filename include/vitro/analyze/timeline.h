// The events of each track in the order of time, and how they lie in one another.
//   Timeline timeline(trace);
//   for (EventId e : timeline.track(t)) use(timeline.self(e));
// Who needs the order alone takes a TrackOrder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

class TrackOrder {
 public:
  // Of complete events (phase X) for which keep(event) holds.  4 bytes for each.
  template <class Keep>
  TrackOrder(const Trace& trace, Keep keep) : first_(trace.tracks().size() + 1) {
    const auto phases = trace.phases();
    const auto tracks = trace.track_ids();
    for (const EventId e : trace.events()) {
      if (phases[e] == 'X' && keep(e)) ++first_[tracks[e] + 1];
    }
    for (size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
    order_.resize(first_.back());
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (const EventId e : trace.events()) {
      if (phases[e] == 'X' && keep(e)) order_[next[tracks[e]]++] = e;
    }
    sort(trace);
  }

  // By begin, the longer first where two begin together.
  std::span<const EventId> track(uint32_t track) const {
    return std::span(order_).subspan(first_[track], first_[track + 1] - first_[track]);
  }
  size_t tracks() const { return first_.size() - 1; }

 private:
  void sort(const Trace& trace);

  std::vector<EventId> order_;
  std::vector<size_t> first_;  // by track: where its events begin in order_
};

class Timeline {
 public:
  // Of complete events (phase X).  About 16 bytes for each.
  explicit Timeline(const Trace& trace);

  // By begin, the longer first where two begin together.
  std::span<const EventId> track(uint32_t track) const { return order_.track(track); }
  size_t tracks() const { return order_.tracks(); }

  // Nanoseconds of an event in which it is the innermost: of two that cross, the later one has what
  // they share.  On each track they sum to the time that events cover.
  int64_t self(EventId event) const { return self_[event]; }
  // The innermost event around all of it on its track, or `nobody`.
  static constexpr EventId nobody = UINT32_MAX;
  EventId parent(EventId event) const { return parent_[event]; }

  // Events that end behind the end of the one that they begin in: without them the others nest.
  const std::vector<EventId>& crossing() const { return crossing_; }

 private:
  void nest(const Trace& trace, std::span<const EventId> events);
  void nest_crossing(const Trace& trace, std::span<const EventId> events);

  TrackOrder order_;
  std::vector<int64_t> self_;
  std::vector<EventId> parent_, crossing_;
};

}  // namespace vitro::analyze
