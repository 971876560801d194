// What several tests of the profiler check and count.
#pragma once

#include <gtest/gtest.h>

#include <variant>

#include "vitro/events/rare.h"
#include "vitro/profiler/profile.h"

namespace vitro {

// Slices are in the order of their begins, and lie within those around them.
inline void expect_nested(const Track& track) {
  for (size_t i = 0; i < track.slices.size(); ++i) {
    const Slice& slice = track.slices[i];
    ASSERT_LE(slice.begin, slice.end);
    if (i > 0) {
      ASSERT_LE(track.slices[i - 1].begin, slice.begin);
    }
    if (slice.parent == Slice::none) continue;
    ASSERT_LT(slice.parent, i);
    const Slice& around = track.slices[slice.parent];
    ASSERT_LE(around.begin, slice.begin);
    ASSERT_LE(slice.end, around.end);
  }
}

inline void expect_nested(const Profile& profile) {
  for (const Track& track : profile.tracks) expect_nested(track);
}

inline size_t warnings_since(uint64_t mark) {
  size_t found = 0;
  for (const events::Rare& event : events::rare_since(mark)) {
    const auto* message = std::get_if<events::Message>(&event.what);
    found += message && message->level == events::Level::warning;
  }
  return found;
}

}  // namespace vitro
