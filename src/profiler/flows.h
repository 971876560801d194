// The arrows of a profile as drawn in traces.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

// Its name and category in a trace.
std::string_view arrow_name(events::FlowKind kind);

// The slice at an end of an arrow.
inline const Slice& slice_at(const Profile& profile, const Flow::End& end) {
  return profile.tracks[end.track].slices[end.slice];
}

// Viewers do not support arrows that end before they begin.
bool goes_forward(const Profile& profile, const Flow& flow);

// The numbers of arrows at a slice, queried slice by slice.
class FlowsOfSlices {
 public:
  explicit FlowsOfSlices(const Profile& profile);

  // Calls visit(id).  Tracks and their slices must be queried in order.
  void at(uint32_t track, uint32_t slice, auto visit) {
    const uint64_t place = place_of(track, slice);
    while (next_ < ends_.size() && ends_[next_].place < place) ++next_;
    for (; next_ < ends_.size() && ends_[next_].place == place; ++next_) visit(ends_[next_].id);
  }

 private:
  static uint64_t place_of(uint32_t track, uint32_t slice) { return uint64_t{track} << 32 | slice; }

  struct End {
    uint64_t place, id;
    auto operator<=>(const End&) const = default;
  };
  std::vector<End> ends_;
  size_t next_ = 0;
};

}  // namespace vitro
