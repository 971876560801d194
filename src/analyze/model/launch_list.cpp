#include "analyze/model/launch_list.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analyze/model/index.h"
#include "analyze/model/sort_runs.h"

namespace vitro::analyze {

std::vector<Intervals> late_launches(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Links& links = index->links();
  const int64_t begin = index->window().begin;
  std::vector<Intervals> out(trace.tracks().size());
  for (const Device& device : index->devices()) {
    std::vector<Intervals> late(out.size());
    int64_t last = begin;
    for (const EventId e : device.work) {
      const EventId launch = links.launch_of(e);
      if (launch != Links::nobody && trace.ts()[launch] > last)
        late[trace.track_ids()[launch]].add(last, std::min(end_of(trace, launch), trace.ts()[e]));
      last = std::max(last, end_of(trace, e));
    }
    for (size_t t = 0; t < out.size(); ++t)
      if (!late[t].empty()) out[t] = united(out[t], late[t]);
  }
  return out;
}

Intervals late_computation(const TraceIndex& index, const Device& device) {
  const Trace& trace = index.trace();
  std::map<uint32_t, Intervals> late;  // by thread
  int64_t last = index->window().begin;
  for (const EventId e : paced(device.work)) {
    if (index->kinds()[e] != WorkKind::compute) continue;
    const EventId launch = index->links().launch_of(e);
    if (launch != Links::nobody && trace.ts()[launch] > last)
      late[trace.track_ids()[launch]].add(last, std::min(end_of(trace, launch), trace.ts()[e]));
    last = std::max(last, end_of(trace, e));
  }
  Intervals out;
  for (const auto& [track, each] : late) {
    Intervals waits;
    for (const EventId e : paced(index->host().track(track)))
      if (index->waits_for_device(e)) waits.add(trace.ts()[e], end_of(trace, e));
    out = united(out, without(each, waits));
  }
  return out;
}

std::vector<bool> frames_of(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const TrackOrder& order = index->host();
  std::vector<bool> out(trace.size());
  for (uint32_t t = 0; t < order.tracks(); ++t) {
    const std::span<const EventId> events = order.track(t);
    for (size_t i = 0; i + 1 < events.size(); ++i)
      if (trace.ts()[events[i + 1]] < end_of(trace, events[i])) out[events[i]] = true;
  }
  return out;
}

bool is_brief(const Trace& trace, const Launch& launch) {
  return launch.work < end_of(trace, launch.call) - trace.ts()[launch.call];
}

std::vector<Launch> launch_list(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  const Links& links = index->links();
  std::vector<std::pair<EventId, EventId>> pairs;  // call, work
  for (const EventId e : trace.events()) {
    if (!classes.is_device_work(e)) continue;
    const EventId call = links.launch_of(e);
    if (call != Links::nobody) pairs.emplace_back(call, e);
  }
  sort_runs_by(pairs, std::identity());
  std::vector<Launch> out;
  for (const auto& [call, work] : pairs) {
    if (out.empty() || out.back().call != call) out.push_back({call, work, trace.ts()[work]});
    Launch& launch = out.back();
    if (trace.ts()[work] < launch.first_begin) {
      launch.first = work;
      launch.first_begin = trace.ts()[work];
    }
    launch.work += end_of(trace, work) - trace.ts()[work];
  }
  return out;
}

}  // namespace vitro::analyze
