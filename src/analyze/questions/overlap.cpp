// Measures how much communication is hidden by computation, by device and kernel; answers `vitro
// trace overlap`.
#include "analyze/questions/overlap.h"

#include <algorithm>
#include <map>

#include "analyze/findings/findings.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/words.h"
#include "analyze/questions/bandwidth.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_events = 10;

void add_windows(const Device& device, const WorkTimes& times, Overlap& out) {
  const Intervals hidden = common(times.communication, times.compute);
  for (size_t w = 0; w < out.windows.size(); ++w) {
    const auto [begin, end] = out.windows[w].window;
    Overlap::Device d{device.track, w, times.communication.length_in(begin, end)};
    if (d.communication == 0) continue;
    d.hidden = hidden.length_in(begin, end);
    d.exposed = d.communication - d.hidden;
    d.compute_alone = times.compute.length_in(begin, end) - d.hidden;
    out.devices.push_back(d);
  }
}

void add_kernels(const Trace& trace, const WorkKinds& kinds, const Device& device,
                 const WorkTimes& times, Overlap& out) {
  struct Group {
    Overlap::Kernel kernel;
    std::vector<std::pair<int64_t, EventId>> each;
  };
  std::map<uint32_t, Group> groups;
  for (const EventId e : paced(device.work)) {
    if (kinds[e] != WorkKind::communication) continue;
    const int64_t begin = trace.ts()[e], end = end_of(trace, e);
    const int64_t exposed = end - begin - times.compute.length_in(begin, end);
    Group& group = groups[trace.name_ids()[e]];
    ++group.kernel.calls;
    group.kernel.total += end - begin;
    group.kernel.exposed += exposed;
    group.each.emplace_back(-exposed, e);
  }
  for (auto& [name, group] : groups) {
    group.kernel.name = trace.names()[name];
    group.kernel.track = device.track;
    std::ranges::sort(group.each);
    group.each.resize(std::min(group.each.size(), most_events));
    for (const auto& [exposed, e] : group.each) group.kernel.most.push_back(e);
    out.kernels.push_back(std::move(group.kernel));
  }
}

// The collectives of a device by name, stream and step: the n-th in a step corresponds to the n-th
// in every other, if all have equally many.  None with fewer than three steps.
using Turns = std::vector<std::vector<EventId>>;  // by step
std::vector<Turns> turns_of(const TraceIndex& index, const Device& device) {
  const Trace& trace = index.trace();
  const WorkKinds& kinds = index->kinds();
  const std::vector<Step>& steps = index->steps();
  if (steps.size() < 3) return {};
  std::map<std::pair<uint32_t, uint32_t>, Turns> all;  // by name and track
  for (const EventId e : paced(device.work)) {
    if (kinds[e] != WorkKind::communication) continue;
    const auto next = std::ranges::upper_bound(steps, trace.ts()[e], {}, &Step::begin);
    if (next == steps.begin() || trace.ts()[e] >= std::prev(next)->end) continue;
    const std::pair key(trace.name_ids()[e], trace.track_ids()[e]);
    Turns& turns = all.try_emplace(key, steps.size()).first->second;
    turns[static_cast<size_t>(next - steps.begin()) - 1].push_back(e);
  }
  std::vector<Turns> out;
  for (auto& [key, turns] : all) {
    const auto as_many = [&](const auto& list) { return list.size() == turns.front().size(); };
    if (std::ranges::all_of(turns, as_many)) out.push_back(std::move(turns));
  }
  return out;
}

// The time of collectives beyond what the same one takes in other steps, up to what is exposed of
// each: beyond the median, and beyond the fastest, which shows how long the transfer alone can be.
struct Slower {
  int64_t than_usual = 0, than_fastest = 0;
};
Slower slower(const TraceIndex& index, const Device& device, const Intervals& compute) {
  const Trace& trace = index.trace();
  Slower sum;
  for (const Turns& turns : turns_of(index, device)) {
    for (size_t n = 0; n < turns.front().size(); ++n) {
      std::vector<TimeToWin> times;
      for (const auto& list : turns) {
        const int64_t begin = trace.ts()[list[n]], end = end_of(trace, list[n]);
        times.push_back({end - begin, end - begin - compute.length_in(begin, end)});
      }
      const int64_t fastest = std::ranges::min(times, {}, &TimeToWin::time).time;
      for (const TimeToWin& each : times)
        sum.than_fastest += std::min(each.time - fastest, each.most);
      sum.than_usual += beyond_median(times);
    }
  }
  return sum;
}

// For the steps, or for everything if there are none.
std::vector<Finding> conclude(const TraceIndex& index, const Overlap& all) {
  const Trace& trace = index.trace();
  Findings findings(index);
  const WorkKinds& kinds = index->kinds();
  std::map<uint32_t, Pieces> exposed;
  std::map<uint32_t, Slower> waits;
  std::map<uint32_t, int64_t> most;
  for (size_t d = 0; d < index->devices().size(); ++d) {
    const Device& device = index->devices()[d];
    const WorkTimes times = times_of(trace, kinds, device.work);
    // While the host is late with what is computed next, too, communication costs nothing.
    const Intervals hidden = united(times.compute, index->late()[d]);
    const Intervals rest = without(times.communication, hidden);
    most[device.track] = rest.length();
    exposed[device.track].add(rest);
    waits[device.track] = slower(index, device, hidden);
  }
  const size_t measured = all.windows.size() > 1 ? 1 : 0;
  for (const Overlap::Device& d : all.devices) {
    if (d.window != measured) continue;
    const auto kernel = std::ranges::find(all.kernels, d.track, &Overlap::Kernel::track);
    const auto [usual, fastest] = waits[d.track];
    const bool is_waiting = 2 * fastest > d.exposed;
    const std::string beyond =
        is_waiting  ? cat("; ", time_text(fastest), " of it beyond the fastest step")
        : usual > 0 ? cat("; ", time_text(usual), " of it beyond the median over steps")
                    : "";
    const TrackInfo& track = trace.tracks()[d.track];
    findings.add(
        {cat("overlap.exposed.", track.pid),
         cat(device_name(track), " communicates for ", time_text(d.communication), " of ",
             time_text(all.windows[measured].window.length()), ", ", time_text(d.exposed),
             " of that while it computes nothing (", percent_text(d.hidden, d.communication),
             " hidden", beyond, "); the largest part in ", short_name(kernel->name), ", ",
             counted(kernel->calls, "call")),
         is_waiting ? "this rank probably waits for others: see in the traces of all ranks which "
                      "one is late"
                    : "start it earlier and on its own stream (gradient buckets, prefetching "
                      "shards), or check in the traces of all ranks whether it waits for a slow "
                      "one"},
        usual, std::min({d.exposed, d.compute_alone + fastest, most[d.track]}), kernel->most,
        std::move(exposed[d.track]));
  }
  return findings.take();
}

AnswerTable device_table(const Trace& trace, const Overlap& all) {
  AnswerTable table{"devices",
                    "Communication hidden by computation",
                    {{"window", "Window"},
                     {"device", "Device"},
                     {"communication_ns", "Communication", Unit::ns},
                     {"hidden_ns", "Hidden", Unit::ns},
                     {"exposed_ns", "Exposed", Unit::ns},
                     {"hidden_percent", "Hidden", Unit::percent},
                     {"compute_alone_ns", "Computes alone", Unit::ns}},
                    {}};
  for (const Overlap::Device& d : all.devices) {
    table.rows.push_back({all.windows[d.window].name, device_name(trace.tracks()[d.track]),
                          d.communication, d.hidden, d.exposed, percent(d.hidden, d.communication),
                          d.compute_alone});
  }
  return table;
}

AnswerTable kernel_table(const Trace& trace, const Overlap& all) {
  AnswerTable table{"kernels",
                    "Communication kernels",
                    {{"name", "Name"},
                     {"device", "Device"},
                     {"calls", "Calls", Unit::count},
                     {"total_ns", "Total", Unit::ns},
                     {"exposed_ns", "Exposed", Unit::ns},
                     {"most", "Event", Unit::count}},
                    {}};
  for (const Overlap::Kernel& k : all.kernels) {
    table.rows.push_back({k.name, device_name(trace.tracks()[k.track]),
                          static_cast<int64_t>(k.calls), k.total, k.exposed,
                          static_cast<int64_t>(k.most.front())});
  }
  table.plot = {AnswerPlot::Kind::shares, "name", "exposed_ns", {}};
  return table;
}

}  // namespace

Overlap overlap(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const WorkKinds& kinds = index->kinds();
  Overlap out;
  out.windows = index->windows();
  for (const Device& device : index->devices()) {
    const WorkTimes times = times_of(trace, kinds, device.work);
    add_windows(device, times, out);
    add_kernels(trace, kinds, device, times, out);
  }
  sort_list(out.devices, {}, &Overlap::Device::window);
  sort_list(out.kernels, std::ranges::greater(), &Overlap::Kernel::exposed);
  return out;
}

Answer answer_overlap(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Overlap all = overlap(index);
  Answer answer{
      "overlap", {device_table(trace, all), kernel_table(trace, all)}, conclude(index, all)};
  if (const auto list = transfers(index); !list.empty())
    answer.tables.push_back(bandwidth_table(list));
  return answer;
}

}  // namespace vitro::analyze
