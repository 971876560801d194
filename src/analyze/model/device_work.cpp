#include "analyze/model/device_work.h"

#include <algorithm>
#include <map>
#include <string>

#include "analyze/model/index.h"
#include "analyze/model/sort_runs.h"

namespace vitro::analyze {
namespace {

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return name.starts_with(p); });
}

// Device numbers sort numerically: 2 before 10.
auto order_of(const std::string& pid) {
  return std::pair(pid.size(), pid);
}

}  // namespace

WorkKind work_kind(EventClass which, std::string_view name) {
  if (which != EventClass::kernel) return WorkKind::memory;
  if (is_communication(name)) return WorkKind::communication;
  if (begins_with_any(name, {"Memcpy", "Memset", "hipMemcpy", "hipMemset", "dma"}))
    return WorkKind::memory;
  if (begins_with_any(name, {"event_wait", "event_record", "Stream Wait Event"}))
    return WorkKind::wait;
  return WorkKind::compute;
}

WorkKinds::WorkKinds(const Trace& trace, const Classes& classes)
    : classes_(classes), names_(trace.name_ids()) {
  for (const std::string& name : trace.names())
    by_name_.push_back(work_kind(EventClass::kernel, name));
}

std::vector<Device> devices_of(const Trace& trace, const Classes& classes) {
  std::map<decltype(order_of({})), Device> by_pid;
  std::vector<Device*> of_track(trace.tracks().size());
  for (const EventId e : trace.events()) {
    if (!classes.is_device_work(e)) continue;
    const uint32_t track = trace.track_ids()[e];
    if (!of_track[track]) {
      const auto [at, fresh] = by_pid.try_emplace(order_of(trace.tracks()[track].pid));
      of_track[track] = &at->second;
      if (fresh) at->second.track = track;
    }
    of_track[track]->work.push_back(e);
  }
  std::vector<Device> out;
  const auto begin_of = [&](EventId e) { return trace.ts()[e]; };
  for (auto& [pid, device] : by_pid) {
    sort_runs_by(device.work, begin_of);
    out.push_back(std::move(device));
  }
  return out;
}

WorkTimes times_of(const Trace& trace, const WorkKinds& kinds, std::span<const EventId> work) {
  WorkTimes out;
  for (const EventId e : paced(work)) {
    const int64_t begin = trace.ts()[e], end = end_of(trace, e);
    const WorkKind kind = kinds[e];
    if (kind == WorkKind::wait) continue;
    out.busy.add(begin, end);
    (kind == WorkKind::compute         ? out.compute
     : kind == WorkKind::communication ? out.communication
                                       : out.memory)
        .add(begin, end);
  }
  return out;
}

std::optional<Intervals> idle_time_in(const TraceIndex& index) {
  const Window& window = index->window();
  Intervals whole, idle;
  whole.add(window.begin, window.end);
  if (index->devices().empty()) return std::nullopt;
  for (const Device& device : index->devices())
    idle = united(idle, without(whole, times_of(index.trace(), index->kinds(), device.work).busy));
  const TrackOrder& host = index->host();
  for (uint32_t t = 0; t < host.tracks() && !idle.empty(); ++t) {
    Intervals earlier;
    for (const EventId e : paced(host.track(t))) {
      if (index.trace().ts()[e] >= index.trace().ts()[index->devices()[0].work[0]]) break;
      if (index->awaits_earlier(e)) earlier.add(index.trace().ts()[e], end_of(index.trace(), e));
    }
    idle = without(idle, earlier);
  }
  return idle;
}

}  // namespace vitro::analyze
