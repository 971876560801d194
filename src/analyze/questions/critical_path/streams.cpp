// Indexes device work by stream, so that the critical path can ask what had ended when in
// logarithmic time.
#include "analyze/questions/critical_path/streams.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "analyze/model/index.h"
#include "analyze/model/sort_runs.h"

namespace vitro::analyze::critical {

Streams::Streams(const TraceIndex& index)
    : trace_(index.trace()),
      links_(index->links()),
      launched_(index->launched()),
      place_(trace_.tracks().size(), UINT32_MAX),
      begins_launch_(trace_.size()) {
  const Classes& classes = index->classes();
  for (const EventId e : trace_.events()) {
    if (trace_.phases()[e] != 'X' || !classes.is_device_work(e)) continue;
    uint32_t& place = place_[trace_.track_ids()[e]];
    if (place == UINT32_MAX) {
      place = static_cast<uint32_t>(streams_.size());
      streams_.emplace_back();
      tracks_.push_back(trace_.track_ids()[e]);
    }
    streams_[place].by_end.push_back(e);
  }
  for (Stream& each : streams_) fill(each);
  mark_first();
}

int64_t Streams::end(EventId work) const {
  return end_of(trace_, work);
}

bool Streams::same_device(uint32_t track, uint32_t other) const {
  return trace_.tracks()[track].pid == trace_.tracks()[other].pid;
}

bool Streams::ends_before(EventId a, EventId b) const {
  return std::tuple(end(a), begin(a), a) < std::tuple(end(b), begin(b), b);
}

void Streams::fill(Stream& stream) const {
  const auto before = [&](EventId a, EventId b) { return ends_before(a, b); };
  sort_runs(std::span(stream.by_end), before);
  for (const EventId e : paced(stream.by_end)) stream.by_launch.push_back({launched(e), e});
  sort_runs_by(stream.by_launch, &Launched::at);
  for (size_t i = 1; i < stream.by_launch.size(); ++i) {
    const EventId earlier = stream.by_launch[i - 1].latest;
    if (ends_before(stream.by_launch[i].latest, earlier)) stream.by_launch[i].latest = earlier;
  }
}

void Streams::mark_first() {
  std::vector<bool> seen(trace_.size());
  std::vector<EventId> all;
  for (const Stream& each : streams_) all.insert(all.end(), each.by_end.begin(), each.by_end.end());
  sort_runs_by(all, [&](EventId e) { return std::pair(begin(e), e); });
  for (const EventId e : paced(all)) {
    const EventId launch = links_.launch_of(e);
    if (launch == Links::nobody || seen[launch]) continue;
    seen[launch] = true;
    begins_launch_[e] = true;
  }
}

const Streams::Stream* Streams::stream(uint32_t track) const {
  return place_[track] == UINT32_MAX ? nullptr : &streams_[place_[track]];
}

EventId Streams::before(EventId work) const {
  const std::vector<EventId>& list = stream(trace_.track_ids()[work])->by_end;
  auto found = std::ranges::upper_bound(list, begin(work), {}, [&](EventId e) { return end(e); });
  while (found != list.begin()) {
    --found;
    if (ends_before(*found, work)) return *found;
  }
  return nobody;
}

EventId Streams::last_launched(uint32_t track, int64_t launched_before) const {
  const Stream* all = stream(track);
  if (!all) return nobody;
  const auto found = std::ranges::lower_bound(all->by_launch, launched_before, {}, &Launched::at);
  return found == all->by_launch.begin() ? nobody : std::prev(found)->latest;
}

EventId Streams::last_ended(uint32_t track, int64_t at, int64_t launched_before) const {
  const EventId last = last_launched(track, launched_before);
  if (last == nobody || end(last) <= at) return last;
  const std::vector<EventId>& list = stream(track)->by_end;
  auto found = std::ranges::upper_bound(list, at, {}, [&](EventId e) { return end(e); });
  while (found != list.begin()) {
    --found;
    if (launched(*found) < launched_before) return *found;
  }
  return nobody;
}

int64_t Streams::busy(int64_t begin, int64_t end) const {
  std::vector<EventId> all;
  for (const Stream& each : streams_) {
    std::ranges::copy_if(each.by_end, std::back_inserter(all),
                         [&](EventId e) { return this->begin(e)<end&& this->end(e)> begin; });
  }
  sort_runs_by(all, [&](EventId e) { return this->begin(e); });
  Intervals busy;
  for (const EventId e : all) busy.add(this->begin(e), this->end(e));
  return busy.length_in(begin, end);
}

EventId Streams::last_of(int64_t begin, int64_t end) const {
  EventId last = nobody;
  for (const Stream& each : streams_) {
    for (const EventId e : each.by_end) {
      const EventId launch = links_.launch_of(e);
      const int64_t at = this->begin(launch == Links::nobody ? e : launch);
      if (at >= begin && at < end && (last == nobody || ends_before(last, e))) last = e;
    }
  }
  return last;
}

}  // namespace vitro::analyze::critical
