// Iterates over the memory changes of all threads in order of time, without copying.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "profiler/memory_timeline.h"

namespace vitro {

// One change, and its thread.
struct TrackChange {
  const Track* track;
  const MemoryChange* change;
  TimelineCategory category() const;
};

// Bytes live before the first change.
BytesByCategory preexisting_bytes(const Profile& profile);

// Calls visit(change) in order of time; simultaneous changes in order of threads.
void each_memory_change(const Profile& profile, auto visit) {
  struct Next {
    int64_t at;
    size_t track, index;
    bool operator>(const Next& other) const {
      return at != other.at ? at > other.at : track > other.track;
    }
  };
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto push = [&](size_t track, size_t index) {
    const auto& changes = profile.tracks[track].memory;
    if (index < changes.size()) next.push({changes[index].at, track, index});
  };
  for (size_t track = 0; track < profile.tracks.size(); ++track) push(track, 0);
  while (!next.empty()) {
    const auto [at, track, index] = next.top();
    next.pop();
    push(track, index + 1);
    visit(TrackChange{&profile.tracks[track], &profile.tracks[track].memory[index]});
  }
}

}  // namespace vitro
