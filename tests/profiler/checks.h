// Checks and counts shared by tests of the profiler.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <variant>

#include "vitro/events/rare.h"
#include "vitro/profiler/profile.h"

namespace vitro {

// Slices are sorted by begin and lie within their enclosing slices.
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
    ASSERT_LE(slice.end, around.end)
        << events::text(slice.name_id) << " (kind " << static_cast<int>(slice.kind) << ", slice "
        << i << " of " << track.slices.size() << ") in " << events::text(around.name_id)
        << " (kind " << static_cast<int>(around.kind) << ", slice " << slice.parent << ", "
        << (around.finished ? "finished" : "not finished") << ")";
  }
}

inline void expect_nested(const Profile& profile) {
  for (const Track& track : profile.tracks) expect_nested(track);
}

// Invariants of every profile: slices nest, lists are in order of time and within the recording,
// every index is valid, and every arrow has two ends and leads forward.
inline void expect_sound(const Profile& profile) {
  expect_nested(profile);
  const auto is_index = [](uint32_t index, const auto& of) {
    return index == Slice::none || index < of.size();
  };
  std::set<int64_t> tids;
  for (const Track& track : profile.tracks) {
    EXPECT_TRUE(tids.insert(track.tid).second) << "two tracks of thread " << track.tid;
    const auto in_order = [&](const auto& list) {
      EXPECT_TRUE(std::ranges::is_sorted(list, {}, [](const auto& e) { return e.at; }));
      for (const auto& entry : list) {
        EXPECT_GE(entry.at, profile.begin);
      }
    };
    in_order(track.memory);
    in_order(track.incidents);
    in_order(track.counters);
    for (const Slice& slice : track.slices) {
      EXPECT_GE(slice.begin, profile.begin);
      EXPECT_TRUE(is_index(slice.extra, track.extras));
    }
    for (const SliceExtra& extra : track.extras) {
      EXPECT_TRUE(is_index(extra.stack, profile.stacks));
      EXPECT_TRUE(is_index(extra.tensors, track.tensors));
    }
    for (const MemoryChange& change : track.memory) {
      EXPECT_TRUE(is_index(change.slice, track.slices));
      EXPECT_TRUE(is_index(change.stack, profile.stacks));
    }
  }
  std::set<uint64_t> ids;
  for (const Flow& flow : profile.flows) {
    EXPECT_TRUE(ids.insert(flow.id).second);
    for (const Flow::End& end : {flow.from, flow.to}) {
      ASSERT_LT(end.track, profile.tracks.size());
      ASSERT_LT(end.slice, profile.tracks[end.track].slices.size());
    }
    EXPECT_LE(profile.tracks[flow.from.track].slices[flow.from.slice].begin,
              profile.tracks[flow.to.track].slices[flow.to.slice].begin);
  }
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
