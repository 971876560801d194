// Sums by category and single changes, in the forms of PyTorch's files; both begin with what was
// there before the recording.
#include "profiler/memory_timeline.h"

#include <algorithm>

#include "profiler/memory_changes.h"
#include "vitro/report/json.h"

namespace vitro {
namespace {

constexpr int64_t ns_per_us = 1000;

// Calls visit(microseconds, sums) once for each microsecond with a change, and first for the state
// before.
void each_microsecond(const Profile& profile, auto visit) {
  BytesByCategory sums = preexisting_bytes(profile);
  int64_t now = 0;
  bool any = false;
  each_memory_change(profile, [&](const TrackChange& entry) {
    const int64_t at = entry.change->at / ns_per_us;
    if (!any || at != now) visit(any ? now : at, sums);
    any = true;
    now = at;
    sums[static_cast<size_t>(entry.category())] += entry.change->bytes;
  });
  if (any) visit(now, sums);
}

TimelineCategory timeline_category(events::MemoryCategory category) {
  switch (category) {
    case events::MemoryCategory::parameter:
      return TimelineCategory::parameter;
    case events::MemoryCategory::gradient:
      return TimelineCategory::gradient;
    case events::MemoryCategory::activation:
      return TimelineCategory::activation;
    case events::MemoryCategory::optimiser:
      return TimelineCategory::optimizer_state;
    case events::MemoryCategory::temporary:
      return TimelineCategory::temporary;
    case events::MemoryCategory::input:
      return TimelineCategory::input;
    case events::MemoryCategory::other:
      return TimelineCategory::unknown;
  }
  return TimelineCategory::unknown;
}

}  // namespace

TimelineCategory TrackChange::category() const {
  return timeline_category(change->category);
}

BytesByCategory preexisting_bytes(const Profile& profile) {
  const MemoryChange* first = nullptr;
  for (const Track& track : profile.tracks) {
    if (track.memory.empty()) continue;
    if (!first || track.memory.front().at < first->at) first = &track.memory.front();
  }
  BytesByCategory out{};
  int64_t rest = first ? std::max<int64_t>(first->live_bytes - first->bytes, 0) : 0;
  for (size_t i = 0; i < profile.memory_before.size(); ++i) {
    // Not more than the allocator has: parameters may be in the memory of a file.
    const int64_t bytes = std::min(profile.memory_before[i], rest);
    out[static_cast<size_t>(timeline_category(static_cast<events::MemoryCategory>(i)))] += bytes;
    rest -= bytes;
  }
  out[static_cast<size_t>(TimelineCategory::unknown)] += rest;
  return out;
}

void write_memory_json(const Profile& profile, report::Output& out) {
  report::Json json(out, 1);
  json.begin_array().begin_array();
  each_microsecond(profile, [&](int64_t at, const BytesByCategory&) { json.value(at); });
  json.end().begin_array();
  each_microsecond(profile, [&](int64_t, const BytesByCategory& sums) {
    json.begin_array().value(0);
    for (const int64_t sum : sums) json.value(sum);
    json.end();
  });
  json.end().end();
}

void write_memory_raw(const Profile& profile, report::Output& out) {
  report::Json json(out, 1);
  const auto row = [&](int64_t at, TimelineAction action, int64_t bytes,
                       TimelineCategory category) {
    json.begin_array().value(at).value(static_cast<int>(action)).value(bytes);
    json.value(static_cast<int>(category)).end();
  };
  json.begin_array();
  const BytesByCategory before = preexisting_bytes(profile);
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] != 0)
      row(timeline_before, TimelineAction::preexisting, before[i],
          static_cast<TimelineCategory>(i));
  }
  each_memory_change(profile, [&](const TrackChange& entry) {
    const MemoryChange& change = *entry.change;
    const auto action = change.bytes < 0 ? TimelineAction::destroyed : TimelineAction::created;
    row(change.at, action, change.bytes, entry.category());
  });
  json.end();
}

}  // namespace vitro
