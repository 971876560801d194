// A recording made readable: per thread, slices that nest.
//   for (const Track& track : profile.tracks)
//     for (const Slice& slice : track.slices) use(slice.name(), slice.end - slice.begin);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/events/session.h"

namespace vitro {

enum class SliceKind : uint8_t { op, kernel, region, range, phase };
std::string_view name_of(SliceKind kind);

// All times are nanoseconds since the Unix epoch.
struct Slice {
  static constexpr uint32_t none = UINT32_MAX;

  SliceKind kind;
  bool finished = true;    // false: it was still open when recording stopped
  uint32_t parent = none;  // index in the track of the slice that it lies in
  events::NameId name_id = {};
  events::NameId detail = {};  // kernels: what is fused in them; phases: what is compiled
  int64_t begin = 0, end = 0;
  uint64_t bytes = 0, flops = 0;  // of kernels
  int64_t sequence = -1;          // of ops: the autograd node they make, -1 for none

  std::string_view name() const { return events::text(name_id); }
  int64_t duration() const { return end - begin; }
};

struct MemoryChange {
  int64_t at = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // negative: freed
  int64_t live_bytes = 0;
  uint32_t slice = Slice::none;  // in which it happened
};

// A graph break, guard failure, recompile or fallback.
struct Incident {
  int64_t at = 0;
  std::string kind, code, reason, place;
};

struct CounterValue {
  int64_t at = 0;
  events::NameId name_id;
  double value = 0;
};

// One thread.
struct Track {
  int64_t tid = 0;
  std::string name;
  std::vector<Slice> slices;  // by begin; a slice comes after the one it lies in
  std::vector<MemoryChange> memory;
  std::vector<Incident> incidents;
  std::vector<CounterValue> counters;
};

struct Profile {
  int64_t begin = 0, end = 0;
  uint64_t dropped = 0;  // events that did not fit into the limit
  std::vector<Track> tracks;
};

// Ends whose begin was before the recording are left out; begins whose end came after it end with
// it, unfinished.
Profile make_profile(const events::Recording& recording);

}  // namespace vitro
