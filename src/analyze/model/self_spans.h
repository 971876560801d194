// Cuts the time of a track into pieces, each belonging to the innermost open event or to one of
// several windows.
//   each_self(trace, order.track(t), [&](EventId e, int64_t begin, int64_t end) { … });
//   each_self(trace, order.track(t),
//             [&](std::span<const EventId> open, int64_t begin, int64_t end) { … });
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "analyze/model/device_work.h"
#include "vitro/analyze/events.h"

namespace vitro::analyze {

// Pieces come in order, are disjoint, and together cover what the events cover.  `open` lists the
// open events, the outermost first.  If two cross, the later one gets the time they share.
// Needs: events by begin, the longer first.
template <class Use>
void each_self(const Trace& trace, std::span<const EventId> events, Use use) {
  std::vector<EventId> open;
  int64_t at = 0;  // everything before has been reported
  const auto advance = [&](int64_t to) {
    while (!open.empty()) {
      const int64_t end = end_of(trace, open.back());
      const int64_t until = std::min(end, to);
      if (until > at) {
        if constexpr (std::is_invocable_v<Use, EventId, int64_t, int64_t>) {
          use(open.back(), at, until);
        } else {
          use(std::span<const EventId>(open), at, until);
        }
        at = until;
      }
      if (end > to) return;
      open.pop_back();
    }
  };
  for (const EventId e : paced(events)) {
    advance(trace.ts()[e]);
    at = trace.ts()[e];
    open.push_back(e);
  }
  advance(INT64_MAX);
}

// Cuts pieces, given in order, at the bounds of windows, which are sorted by begin and may overlap.
class WindowCutter {
 public:
  explicit WindowCutter(std::span<const Window> windows) : windows_(windows) {}

  // Calls use(window number, begin, end) for each part that lies in a window.
  template <class Use>
  void cut(int64_t begin, int64_t end, Use use) {
    std::erase_if(open_, [&](size_t w) { return windows_[w].end <= begin; });
    for (; next_ < windows_.size() && windows_[next_].begin < end; ++next_) {
      if (windows_[next_].end > begin) open_.push_back(next_);
    }
    for (const size_t w : open_) {
      const int64_t from = std::max(begin, windows_[w].begin);
      const int64_t to = std::min(end, windows_[w].end);
      if (from < to) use(w, from, to);
    }
  }

 private:
  std::span<const Window> windows_;
  std::vector<size_t> open_;  // begun but not ended, by begin
  size_t next_ = 0;           // all before it have begun
};

}  // namespace vitro::analyze
