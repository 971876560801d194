// Inserts steps as nested slices into a profile, and appends later recordings; profiler.cpp uses
// it at the end of each cycle.
#include "profiler/steps.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kineto/names.h"
#include "vitro/base/clock.h"

namespace vitro {
namespace {

size_t track_of(Profile& profile, int64_t tid) {
  const auto found = std::ranges::find(profile.tracks, tid, &Track::tid);
  if (found != profile.tracks.end()) return static_cast<size_t>(found - profile.tracks.begin());
  profile.tracks.push_back({});
  profile.tracks.back().tid = tid;
  return profile.tracks.size() - 1;
}

// The innermost slice open at a moment that began before it, as did those around it.
uint32_t open_at(const std::vector<Slice>& slices, int64_t moment) {
  const auto later = std::ranges::lower_bound(slices, moment, {}, &Slice::begin);
  if (later == slices.begin()) return Slice::none;
  auto i = static_cast<uint32_t>(later - slices.begin() - 1);
  while (i != Slice::none && slices[i].end <= moment) i = slices[i].parent;
  return i;
}

// The step as a slice nested with those of its thread.
Slice fitted(const std::vector<Slice>& slices, const StepMark& mark) {
  Slice step{.kind = SliceKind::range,
             .name_id = events::intern(kineto::step_name(mark.number)),
             .begin = ticks_to_unix_ns(mark.begin),
             .end = ticks_to_unix_ns(mark.end)};
  const uint32_t around = open_at(slices, step.end);
  if (around != Slice::none) step.begin = std::max(step.begin, slices[around].begin);
  for (uint32_t i = open_at(slices, step.begin); i != Slice::none; i = slices[i].parent) {
    if (slices[i].end < step.end) step.begin = slices[i].end;
  }
  return step;
}

// Inserts slices into a track and updates the positions and parents of all.
void insert(Profile& profile, size_t track_index, std::vector<Slice> added) {
  Track& track = profile.tracks[track_index];
  std::vector<uint32_t> place(track.slices.size());
  std::vector<Slice> old = std::exchange(track.slices, {});
  track.slices.reserve(old.size() + added.size());
  const auto key = [](const Slice& s) { return std::pair(s.begin, -s.end); };
  for (size_t i = 0, j = 0; i < old.size() || j < added.size();) {
    if (i == old.size() || (j < added.size() && key(added[j]) <= key(old[i]))) {
      track.slices.push_back(added[j++]);
    } else {
      place[i] = static_cast<uint32_t>(track.slices.size());
      track.slices.push_back(old[i++]);
    }
  }
  std::vector<uint32_t> around;
  for (uint32_t i = 0; i < track.slices.size(); ++i) {
    Slice& slice = track.slices[i];
    while (!around.empty() && track.slices[around.back()].end <= slice.begin) around.pop_back();
    slice.parent = around.empty() ? Slice::none : around.back();
    around.push_back(i);
  }
  for (MemoryChange& change : track.memory) {
    if (change.slice != Slice::none) change.slice = place[change.slice];
  }
  for (Flow& flow : profile.flows) {
    for (Flow::End* end : {&flow.from, &flow.to}) {
      if (end->track == track_index) end->slice = place[end->slice];
    }
  }
}

void shift(uint32_t& index, size_t by) {
  if (index != Slice::none) index += static_cast<uint32_t>(by);
}

}  // namespace

void append(Track& track, Track later, size_t stacks) {
  const size_t slices = track.slices.size(), extras = track.extras.size();
  for (Slice& slice : later.slices) {
    shift(slice.parent, slices);
    shift(slice.extra, extras);
  }
  for (SliceExtra& extra : later.extras) {
    shift(extra.stack, stacks);
    shift(extra.tensors, track.tensors.size());
  }
  for (MemoryChange& change : later.memory) {
    shift(change.slice, slices);
    shift(change.stack, stacks);
  }
  const auto move_to = [](auto& from, auto& to) {
    std::ranges::move(from, std::back_inserter(to));
  };
  move_to(later.slices, track.slices);
  move_to(later.extras, track.extras);
  move_to(later.tensors, track.tensors);
  move_to(later.memory, track.memory);
  move_to(later.incidents, track.incidents);
  move_to(later.counters, track.counters);
  if (track.name.empty()) track.name = std::move(later.name);
}

void add_steps(Profile& profile, const std::vector<StepMark>& steps) {
  std::vector<int64_t> threads;
  for (const StepMark& step : steps) threads.push_back(step.tid);
  std::ranges::sort(threads);
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  for (const int64_t tid : threads) {
    const size_t track = track_of(profile, tid);
    std::vector<Slice> slices;
    for (const StepMark& step : steps) {
      if (step.tid == tid) slices.push_back(fitted(profile.tracks[track].slices, step));
    }
    insert(profile, track, std::move(slices));
  }
}

void append(Profile& profile, Profile later) {
  std::vector<uint32_t> tracks,
      slices;  // the destination of a track of `later`, and the number of slices there
  for (Track& track : later.tracks) {
    const size_t into = track_of(profile, track.tid);
    tracks.push_back(static_cast<uint32_t>(into));
    slices.push_back(static_cast<uint32_t>(profile.tracks[into].slices.size()));
    append(profile.tracks[into], std::move(track), profile.stacks.size());
  }
  const auto moved = [&](Flow::End end) {
    return Flow::End{tracks[end.track], end.slice + slices[end.track]};
  };
  for (const Flow& flow : later.flows)
    profile.flows.push_back(
        {flow.kind, profile.flows.size() + 1, moved(flow.from), moved(flow.to)});
  std::ranges::move(later.stacks, std::back_inserter(profile.stacks));
  std::ranges::move(later.recorded, std::back_inserter(profile.recorded));
  profile.end = later.end;
  profile.dropped += later.dropped;
}

}  // namespace vitro
