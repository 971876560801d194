// Matches launches with the work they started and sums them by name and queue; launches_answer.cpp
// presents the result.
#include "analyze/questions/launches/launches.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/launch_list.h"
#include "analyze/model/sort_runs.h"
#include "analyze/model/timeline.h"
#include "analyze/model/words.h"
#include "analyze/questions/launches/queues.h"
#include "base/sort_list.h"

namespace vitro::analyze {
namespace {

struct CallTimes {
  Launches::CallStatistics call;
  std::vector<int64_t> each, delays;
};

void finish(CallTimes& times) {
  Launches::CallStatistics& call = times.call;
  std::ranges::sort(times.each);
  call.median = nearest_rank(times.each, 50);
  call.p99 = nearest_rank(times.each, 99);
  call.most = times.each.back();
  if (times.delays.empty()) return;
  std::ranges::sort(times.delays);
  call.delay_median = nearest_rank(times.delays, 50);
  call.delay_p99 = nearest_rank(times.delays, 99);
  call.delay_most = times.delays.back();
}

std::vector<Launches::CallStatistics> calls_of(const Trace& trace, const Classes& classes,
                                               const std::vector<Launch>& list,
                                               const LaunchOptions& options) {
  std::map<uint32_t, CallTimes> by_name;
  for (const EventId e : trace.events()) {
    if (classes[e] != EventClass::runtime) continue;
    CallTimes& times = by_name[trace.name_ids()[e]];
    const int64_t length = end_of(trace, e) - trace.ts()[e];
    if (times.each.empty() || length > times.call.most) {
      times.call.most = length;
      times.call.longest = e;
    }
    times.each.push_back(length);
    ++times.call.calls;
    times.call.total += length;
    times.call.slow += length > options.slow_call_ns;
  }
  for (const Launch& launch : list) {
    CallTimes& times = by_name[trace.name_ids()[launch.call]];
    const int64_t delay = std::max<int64_t>(launch.first_begin - end_of(trace, launch.call), 0);
    ++times.call.launches;
    times.call.brief += is_brief(trace, launch);
    times.call.delayed += delay > options.long_delay_ns;
    times.call.delay_total += delay;
    times.delays.push_back(delay);
  }
  std::vector<Launches::CallStatistics> out;
  for (auto& [name, times] : by_name) {
    finish(times);
    times.call.name = trace.names()[name];
    out.push_back(std::move(times.call));
  }
  sort_list(out, std::ranges::greater(), &Launches::CallStatistics::total);
  return out;
}

std::vector<Launches::Brief> briefs_of(const Trace& trace, const std::vector<Launch>& list) {
  std::map<uint32_t, Launches::Brief> by_name;
  std::map<uint32_t, int64_t> most;
  for (const Launch& launch : list) {
    const uint32_t name = trace.name_ids()[launch.first];
    Launches::Brief& brief = by_name[name];
    ++brief.launches;
    if (!is_brief(trace, launch)) continue;
    const int64_t call = end_of(trace, launch.call) - trace.ts()[launch.call];
    if (brief.brief++ == 0 || call - launch.work > most[name]) {
      most[name] = call - launch.work;
      brief.example = launch.call;
    }
    brief.work += launch.work;
    brief.calls += call;
  }
  std::vector<Launches::Brief> out;
  for (auto& [name, brief] : by_name) {
    if (brief.brief == 0) continue;
    brief.name = trace.names()[name];
    out.push_back(std::move(brief));
  }
  sort_list(out, std::ranges::greater(), &Launches::Brief::calls);
  return out;
}

}  // namespace

Launches launches(const TraceIndex& index, const LaunchOptions& options) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  const Links& links = index->links();
  std::vector<Launch> list = index->launches();
  std::erase_if(list, [&](const Launch& l) { return classes[l.call] != EventClass::runtime; });
  Launches out;
  out.calls = calls_of(trace, classes, list, options);
  out.briefs = briefs_of(trace, list);
  const TrackOrder& work = index->work();
  for (uint32_t t = 0; t < work.tracks(); ++t) {
    QueueOverTime queue = queue_of(trace, links, t, work.track(t), options.full_queue);
    if (queue.queue.launched == 0) continue;
    out.queues.push_back(queue.queue);
    out.queue_parts.insert(out.queue_parts.end(), queue.parts.begin(), queue.parts.end());
  }
  return out;
}

}  // namespace vitro::analyze
