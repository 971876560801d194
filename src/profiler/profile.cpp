#include "vitro/profiler/profile.h"

#include <algorithm>
#include <map>

#include "vitro/base/cat.h"
#include "vitro/base/clock.h"

namespace vitro {
namespace {

// Turns one thread's events into slices.  Times stay ticks until the track is complete.
class TrackBuilder {
 public:
  explicit TrackBuilder(const events::ThreadRecording& thread)
      : track_{thread.tid, thread.name, {}, {}, {}, {}} {}

  void operator()(const events::OpBegin& e) {
    Slice& slice = open(SliceKind::op, e.op, e.ts);
    slice.sequence = e.sequence;
  }
  void operator()(const events::KernelBegin& e) {
    Slice& slice = open(SliceKind::kernel, e.kernel, e.ts);
    slice.detail = e.detail;
    slice.bytes = e.bytes;
    slice.flops = e.flops;
  }
  void operator()(const events::RegionBegin& e) {
    open(SliceKind::region,
         events::intern(cat("Torch-Compiled Region: ", e.function, "/", e.segment)), e.ts);
  }
  void operator()(const events::RangeBegin& e) { open(SliceKind::range, e.range, e.ts); }
  void operator()(const events::OpEnd& e) { close(SliceKind::op, e.ts); }
  void operator()(const events::KernelEnd& e) { close(SliceKind::kernel, e.ts); }
  void operator()(const events::RegionEnd& e) { close(SliceKind::region, e.ts); }
  void operator()(const events::RangeEnd& e) { close(SliceKind::range, e.ts); }

  void operator()(const events::Allocated& e) {
    change_memory(e.ts, e.address, e.bytes, e.live_bytes);
  }
  void operator()(const events::Freed& e) {
    change_memory(e.ts, e.address, -e.bytes, e.live_bytes);
  }
  void operator()(const events::Counter& e) {
    track_.counters.push_back({static_cast<int64_t>(e.ts), e.counter, e.value});
  }

  Track finish(uint64_t end) {
    while (!open_.empty()) close_last(end, false);
    return std::move(track_);
  }

 private:
  Slice& open(SliceKind kind, events::NameId name, uint64_t at) {
    open_.push_back(static_cast<uint32_t>(track_.slices.size()));
    track_.slices.push_back({.kind = kind, .name_id = name, .begin = static_cast<int64_t>(at)});
    return track_.slices.back();
  }

  void close_last(uint64_t at, bool finished) {
    Slice& slice = track_.slices[open_.back()];
    slice.end = static_cast<int64_t>(at);
    slice.finished = finished;
    open_.pop_back();
  }

  void close(SliceKind kind, uint64_t at) {
    const auto is_kind = [&](uint32_t slice) { return track_.slices[slice].kind == kind; };
    if (std::ranges::none_of(open_, is_kind)) return;  // begun before the recording
    while (!is_kind(open_.back())) close_last(at, false);
    close_last(at, true);
  }

  void change_memory(uint64_t at, uint64_t address, int64_t bytes, int64_t live_bytes) {
    const uint32_t slice = open_.empty() ? Slice::none : open_.back();
    track_.memory.push_back({static_cast<int64_t>(at), address, bytes, live_bytes, slice});
  }

  Track track_;
  std::vector<uint32_t> open_;
};

// Adds what the rare events of a thread say; phases go among the slices.
class RareReader {
 public:
  RareReader(std::map<int64_t, Track>& tracks, const events::Rare& event, uint64_t recording_begin)
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
    track().incidents.push_back({at(), std::string(e.name), e.code, e.reason, e.place});
  }

 private:
  Track& track() const {
    Track& found = tracks_[event_.tid];
    found.tid = event_.tid;
    return found;
  }
  int64_t at() const { return static_cast<int64_t>(event_.ts); }

  std::map<int64_t, Track>& tracks_;
  const events::Rare& event_;
  uint64_t recording_begin_;
};

// Slices by begin, the longer first, with the indices that point at slices following.
void sort_slices(Track& track) {
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
}

void find_parents(std::vector<Slice>& slices) {
  std::vector<uint32_t> around;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    while (!around.empty() && slices[around.back()].end <= slices[i].begin) around.pop_back();
    if (!around.empty()) slices[i].parent = around.back();
    around.push_back(i);
  }
}

int64_t unix_ns(int64_t ticks) {
  return ticks_to_unix_ns(static_cast<uint64_t>(ticks));
}

void convert_times(Track& track) {
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
  }
  return "unknown";
}

Profile make_profile(const events::Recording& recording) {
  std::map<int64_t, Track> tracks;
  for (const events::ThreadRecording& thread : recording.threads) {
    TrackBuilder builder(thread);
    thread.read(builder);
    tracks[thread.tid] = builder.finish(recording.end);
  }
  for (const events::Rare& event : recording.rare)
    std::visit(RareReader(tracks, event, recording.begin), event.what);

  Profile profile;
  profile.begin = ticks_to_unix_ns(recording.begin);
  profile.end = ticks_to_unix_ns(recording.end);
  profile.dropped = recording.dropped;
  for (auto& [tid, track] : tracks) {
    sort_slices(track);
    find_parents(track.slices);
    convert_times(track);
    profile.tracks.push_back(std::move(track));
  }
  return profile;
}

}  // namespace vitro
