// Makes a Profile from a recording: a track per thread (track_builder.h), rare events as slices,
// times in nanoseconds, arrows between tracks.
#include "vitro/profiler/profile.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "profiler/steps.h"
#include "profiler/track_builder.h"
#include "vitro/base/clock.h"
#include "vitro/events/session.h"

namespace vitro {
namespace {

using Tracks = std::map<int64_t, BuiltTrack>;  // by the number of the thread

// Adds the recording of another thread with the same number: the system reuses numbers of ended
// threads.
void join(BuiltTrack& built, BuiltTrack other) {
  const auto slices = static_cast<uint32_t>(built.track.slices.size());
  for (LooseEnd& end : other.flows) end.slice += slices;
  built.flows.insert(built.flows.end(), other.flows.begin(), other.flows.end());
  built.marks.insert(built.marks.end(), other.marks.begin(), other.marks.end());
  append(built.track, std::move(other.track), 0);
  std::ranges::stable_sort(built.track.memory, {}, &MemoryChange::at);
  std::ranges::stable_sort(built.track.counters, {}, &CounterValue::at);
}

// Adds the rare events of a thread; phases become slices.
class RareReader {
 public:
  RareReader(Tracks& tracks, const events::Rare& event, uint64_t recording_begin)
      : tracks_(tracks), event_(event), recording_begin_(recording_begin) {}

  void operator()(const events::Phase& e) const {
    track().slices.push_back({.kind = SliceKind::phase,
                              .name_id = events::intern(e.phase),
                              .detail = events::intern(e.subject),
                              .begin = static_cast<int64_t>(std::max(e.begin, recording_begin_)),
                              .end = at()});
  }
  void operator()(const events::Message&) const {}
  void operator()(const auto& e) const {
    track().incidents.push_back({at(), std::string(e.name), e.code, e.reason, e.location});
  }

 private:
  Track& track() const {
    Track& found = tracks_[event_.tid].track;
    found.tid = event_.tid;
    return found;
  }
  int64_t at() const { return static_cast<int64_t>(event_.ts); }

  Tracks& tracks_;
  const events::Rare& event_;
  uint64_t recording_begin_;
};

// Sorts slices by begin, the longer first, and updates the indices that refer to them.
void sort_slices(BuiltTrack& built) {
  Track& track = built.track;
  std::vector<uint32_t> order(track.slices.size()), place(track.slices.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](uint32_t i) {
    return std::pair(track.slices[i].begin, -track.slices[i].end);
  };
  if (std::ranges::is_sorted(order, {}, key)) return;
  std::ranges::stable_sort(order, {}, key);
  std::vector<Slice> sorted;
  sorted.reserve(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(track.slices[order[i]]);
  }
  track.slices = std::move(sorted);
  for (MemoryChange& change : track.memory) {
    if (change.slice != Slice::none) change.slice = place[change.slice];
  }
  for (LooseEnd& end : built.flows) end.slice = place[end.slice];
}

// A slice whose end was dropped by the limit ends no later than its enclosing phase, which is
// always kept.
void find_parents(std::vector<Slice>& slices) {
  std::vector<uint32_t> around;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    Slice& slice = slices[i];
    while (!around.empty() && slices[around.back()].end <= slice.begin) around.pop_back();
    if (!around.empty()) {
      slice.parent = around.back();
      if (!slice.finished) slice.end = std::min(slice.end, slices[around.back()].end);
    }
    around.push_back(i);
  }
}

int64_t unix_ns(int64_t ticks) {
  return ticks_to_unix_ns(static_cast<uint64_t>(ticks));
}

void convert_times(BuiltTrack& built) {
  Track& track = built.track;
  for (Slice& slice : track.slices) {
    slice.begin = unix_ns(slice.begin);
    slice.end = unix_ns(slice.end);
  }
  const auto convert = [](auto& list) {
    for (auto& entry : list) entry.at = unix_ns(entry.at);
  };
  convert(track.memory);
  convert(track.incidents);
  convert(track.counters);
  convert(built.marks);
}

// A number for each kind and number of a flow.
uint64_t key_of(const LooseEnd& end) {
  return uint64_t{end.number} << 8 | static_cast<uint64_t>(end.kind);
}

// Arrows with both ends.  A thread's share is named after the work it belongs to.
void pair_flows(Profile& profile, const std::vector<std::vector<LooseEnd>>& ends) {
  std::unordered_map<uint64_t, Flow::End> begins;
  for (uint32_t t = 0; t < ends.size(); ++t) {
    for (const LooseEnd& end : ends[t]) {
      if (end.begins) begins[key_of(end)] = {t, end.slice};
    }
  }
  for (uint32_t t = 0; t < ends.size(); ++t) {
    for (const LooseEnd& end : ends[t]) {
      const auto found = end.begins ? begins.end() : begins.find(key_of(end));
      if (found == begins.end()) continue;
      const Flow::End from = found->second;
      profile.flows.push_back({end.kind, profile.flows.size() + 1, from, {t, end.slice}});
      Slice& slice = profile.tracks[t].slices[end.slice];
      if (slice.kind == SliceKind::work)
        slice.name_id = profile.tracks[from.track].slices[from.slice].name_id;
    }
  }
}

}  // namespace

std::string_view name_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::op:
      return "op";
    case SliceKind::kernel:
      return "kernel";
    case SliceKind::region:
      return "region";
    case SliceKind::range:
      return "range";
    case SliceKind::phase:
      return "phase";
    case SliceKind::work:
      return "work";
    case SliceKind::eager:
      return "eager";
  }
  return "unknown";
}

std::string_view name_of(events::MemoryCategory category) {
  switch (category) {
    case events::MemoryCategory::other:
      return "other";
    case events::MemoryCategory::parameter:
      return "parameter";
    case events::MemoryCategory::gradient:
      return "gradient";
    case events::MemoryCategory::activation:
      return "activation";
    case events::MemoryCategory::optimiser:
      return "optimiser";
    case events::MemoryCategory::temporary:
      return "temporary";
    case events::MemoryCategory::input:
      return "input";
  }
  return "unknown";
}

std::string_view name_of(events::FlowKind kind) {
  switch (kind) {
    case events::FlowKind::launch:
      return "launch";
    case events::FlowKind::forward_backward:
      return "forward_backward";
  }
  return "unknown";
}

const SliceExtra& Track::extra(const Slice& slice) const {
  static const SliceExtra nothing;
  return slice.extra == Slice::none ? nothing : extras[slice.extra];
}

Profile make_profile(events::Recording recording) {
  Tracks tracks;
  Shared shared;
  for (const events::ThreadRecording& thread : recording.threads) {
    TrackBuilder builder(thread, shared);
    thread.read(builder);
    const auto [at, fresh] = tracks.try_emplace(thread.tid);
    if (fresh) {
      at->second = builder.finish(recording.end);
    } else {
      join(at->second, builder.finish(recording.end));
    }
  }
  for (const events::Rare& event : recording.rare)
    std::visit(RareReader(tracks, event, recording.begin), event.what);

  Profile profile;
  profile.options = recording.options;
  profile.begin = ticks_to_unix_ns(recording.begin);
  profile.end = ticks_to_unix_ns(recording.end);
  profile.dropped = recording.dropped;
  profile.stacks = std::move(shared.stacks);
  std::vector<std::vector<LooseEnd>> flows;
  std::vector<CategoryMark> marks;
  for (auto& [tid, built] : tracks) {
    sort_slices(built);
    find_parents(built.track.slices);
    convert_times(built);
    profile.tracks.push_back(std::move(built.track));
    flows.push_back(std::move(built.flows));
    marks.insert(marks.end(), built.marks.begin(), built.marks.end());
  }
  pair_flows(profile, flows);
  profile.memory_before = categorise(profile.tracks, std::move(marks));
  if (shared.extras) {
    profile.recorded.push_back(
        std::make_shared<const std::vector<events::ThreadRecording>>(std::move(recording.threads)));
  }
  return profile;
}

}  // namespace vitro
