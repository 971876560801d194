// Indexes host threads, so that the critical path can ask what ran when and which thread another
// waited for.
#include "analyze/questions/critical_path/threads.h"

#include <algorithm>
#include <iterator>

#include "analyze/model/device_work.h"
#include "analyze/model/self_spans.h"

namespace vitro::analyze::critical {
namespace {

bool is_host(EventClass which) {
  return which == EventClass::op || which == EventClass::annotation ||
         which == EventClass::python || which == EventClass::runtime || which == EventClass::phase;
}

bool is_busy(EventClass which) {
  return which == EventClass::op || which == EventClass::runtime || which == EventClass::overhead ||
         which == EventClass::phase;
}

}  // namespace

Threads::Threads(const Trace& trace, const Classes& classes, const Timeline& timeline)
    : trace_(trace), timeline_(timeline), place_(timeline.tracks(), UINT32_MAX) {
  for (const EventId e : timeline.crossing()) crossed_[trace.track_ids()[e]] = {};
  for (auto& [track, pieces] : crossed_)
    each_self(trace, timeline.track(track), [&pieces](EventId e, int64_t begin, int64_t end) {
      pieces.push_back({begin, end, e});
    });
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    const auto events = timeline.track(t);
    const bool host = std::ranges::any_of(events, [&](EventId e) { return is_host(classes[e]); });
    if (!host) continue;
    place_[t] = static_cast<uint32_t>(tracks_.size());
    tracks_.push_back(t);
    Intervals& busy = busy_.emplace_back();
    for (const EventId e : paced(events)) {
      if (is_busy(classes[e])) busy.add(trace.ts()[e], end_of(trace, e));
    }
  }
}

Threads::Innermost Threads::innermost(uint32_t track, int64_t at) const {
  if (const auto crossed = crossed_.find(track); crossed != crossed_.end()) {
    const std::vector<Piece>& pieces = crossed->second;
    const auto next = std::ranges::lower_bound(pieces, at, {}, &Piece::begin);
    if (next == pieces.begin()) return {};
    const Piece& last = *std::prev(next);
    return last.end >= at ? Innermost{last.event, last.begin} : Innermost{nobody, last.end};
  }
  const auto events = timeline_.track(track);
  const auto ts = trace_.ts();
  const auto next = std::ranges::lower_bound(events, at, {}, [&](EventId e) { return ts[e]; });
  if (next == events.begin()) return {};
  EventId last = *std::prev(next);
  if (end_of(trace_, last) >= at) return {last, ts[last]};
  EventId around = timeline_.parent(last);
  while (around != Timeline::nobody && end_of(trace_, around) < at) {
    last = around;
    around = timeline_.parent(last);
  }
  return {around, end_of(trace_, last)};
}

int64_t Threads::end_of_last(uint32_t track) const {
  return busy_of(track).empty() ? never : busy_of(track).back().end;
}

std::optional<Threads::Idle> Threads::idle(uint32_t track, int64_t at) const {
  const Intervals& list = busy_of(track);
  const auto next = list.after(at - 1);
  if (next != list.end() && next->begin < at) return std::nullopt;
  return Idle{next == list.begin() ? never : std::prev(next)->end,
              next == list.end() ? for_ever : next->begin};
}

bool Threads::works_across(uint32_t track, int64_t at) const {
  const auto next = busy_of(track).after(at);
  return next != busy_of(track).end() && next->begin < at;
}

bool Threads::has_waited(uint32_t waiting, uint32_t working, Idle idle) const {
  if (trace_.tracks()[waiting].pid != trace_.tracks()[working].pid) return false;
  if (idle.begin == never || works_across(working, idle.begin)) return false;
  if (idle.end == for_ever) return true;
  return !works_across(working, idle.end) &&
         2 * busy(working, idle.begin, idle.end) >= idle.end - idle.begin;
}

bool Threads::took_over_at_once(Idle idle, int64_t at, int64_t stopped) const {
  constexpr int64_t long_pause = 1'000'000;
  if (idle.begin == never) return false;
  const int64_t pause = at - idle.begin;
  return pause >= long_pause && at - stopped <= pause / 10;
}

std::optional<Threads::HandOver> Threads::handed_over(uint32_t track, int64_t at) const {
  const std::optional<Idle> own = idle(track, at);
  if (!own) return std::nullopt;
  std::optional<HandOver> best;
  for (const uint32_t other : tracks_) {
    if (other == track) continue;
    std::optional<Idle> there = idle(other, at);
    if (!there) there = idle(other, at + 1);  // stopped at this moment
    if (!there || there->begin == never || there->begin <= own->begin) continue;
    if (best && best->at >= there->begin) continue;
    const bool waited = own->begin == never ? has_waited(other, track, *there)
                                            : has_waited(track, other, {own->begin, at});
    if (waited || took_over_at_once(*own, at, there->begin)) best = {other, there->begin};
  }
  return best;
}

}  // namespace vitro::analyze::critical
