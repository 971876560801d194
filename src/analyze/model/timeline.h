// The events of each track in order of time, and how they nest.
//   Timeline timeline(trace);
//   for (EventId e : timeline.track(t)) use(timeline.self(e));
// If only the order is needed, use a TrackOrder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

class TrackOrder {
 public:
  // Orders complete events (phase X) for which keep(event) holds.  4 bytes each.
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

  // By begin; if two begin together, the longer first.
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
  // Takes complete events (phase X).  About 16 bytes each.
  explicit Timeline(const Trace& trace);

  // By begin; if two begin together, the longer first.
  std::span<const EventId> track(uint32_t track) const { return order_.track(track); }
  size_t tracks() const { return order_.tracks(); }

  // Nanoseconds during which an event is the innermost: if two cross, the later one gets the time
  // they share.  On each track these sum to the time covered by events.
  int64_t self(EventId event) const { return self_[event]; }
  // The innermost event enclosing it on its track, or `nobody`.
  static constexpr EventId nobody = UINT32_MAX;
  EventId parent(EventId event) const { return parent_[event]; }

  // Events that end after the event in which they begin: without them the others nest.
  const std::vector<EventId>& crossing() const { return crossing_; }

 private:
  void nest(const Trace& trace, std::span<const EventId> events);
  void nest_crossing(const Trace& trace, std::span<const EventId> events);

  TrackOrder order_;
  std::vector<int64_t> self_;
  std::vector<EventId> parent_, crossing_;
};

}  // namespace vitro::analyze
