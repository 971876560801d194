// The host's threads, with queries about what ran when, and which thread another took over from.
//   Threads threads(trace, classes, timeline);
//   Threads::Innermost innermost = threads.innermost(thread, at);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyze/model/classes.h"
#include "analyze/model/intervals.h"
#include "analyze/model/timeline.h"

namespace vitro::analyze::critical {

class Threads {
 public:
  static constexpr EventId nobody = UINT32_MAX;
  static constexpr int64_t never = INT64_MIN, for_ever = INT64_MAX;

  Threads(const Trace& trace, const Classes& classes, const Timeline& timeline);

  // Tracks with ops, annotations, functions or runtime calls.
  std::span<const uint32_t> tracks() const { return tracks_; }
  bool is_thread(uint32_t track) const { return place_[track] != UINT32_MAX; }

  // The innermost event just before `at`, `nobody` between events; and since when it has been that,
  // `never` if nothing came before.
  struct Innermost {
    EventId event = nobody;
    int64_t since = never;
  };
  Innermost innermost(uint32_t track, int64_t at) const;

  // A thread is busy in ops and calls; annotations and interpreter functions may be waiting.
  // Returns the idle time around `at` (just before it): from `never` if no op comes before, until
  // `for_ever` if none comes after.
  struct Idle {
    int64_t begin = never, end = for_ever;
  };
  std::optional<Idle> idle(uint32_t track, int64_t at) const;
  // When it was last busy; `never` if it never was.
  int64_t end_of_last(uint32_t track) const;
  // How long the thread was busy within [begin, end).
  int64_t busy(uint32_t track, int64_t begin, int64_t end) const {
    return busy_of(track).length_in(begin, end);
  }

  // The thread that `track`, idle just before `at`, had waited for, and when that one stopped.
  // Inferred from the times: it worked within the idle time of `track`, and for at least half of
  // it; if `track` had not worked before, the other way round.  Or a long pause (a millisecond)
  // ended promptly (within a tenth of it) when the other stopped, as in a thread pool.
  struct HandOver {
    uint32_t track;
    int64_t at;
  };
  std::optional<HandOver> handed_over(uint32_t track, int64_t at) const;

 private:
  const Intervals& busy_of(uint32_t track) const { return busy_[place_[track]]; }
  bool works_across(uint32_t track, int64_t at) const;
  bool took_over_at_once(Idle idle, int64_t at, int64_t stopped) const;
  bool has_waited(uint32_t waiting, uint32_t working, Idle idle) const;

  const Trace& trace_;
  const Timeline& timeline_;
  struct Piece {
    int64_t begin, end;
    EventId event;
  };
  std::map<uint32_t, std::vector<Piece>>
      crossed_;  // by track: the innermost event where events cross
  std::vector<uint32_t> tracks_;
  std::vector<Intervals> busy_;  // of tracks_
  std::vector<uint32_t> place_;  // by track: in busy_
};

}  // namespace vitro::analyze::critical
