// Classifies the gaps of streams and devices by what they waited for, shows the causes of idle time
// (attribution.h) and what a device graph would save; answers `vitro trace gaps`.
#include "analyze/questions/gaps.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "analyze/findings/findings.h"
#include "analyze/model/attribution.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/launch_times.h"
#include "analyze/model/links.h"
#include "analyze/model/producer.h"
#include "analyze/model/sort_runs.h"
#include "analyze/model/timeline.h"
#include "analyze/model/words.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

constexpr int64_t graph_gap_ns = 1'000;  // between two kernels of a device graph

class StreamReader {
 public:
  StreamReader(const Trace& trace, const Links& links, const LaunchTimes& launched,
               const GapOptions& options, uint32_t track)
      : trace_(trace), links_(links), launched_(launched), options_(options) {
    out_.track = track;
  }

  void add(EventId work) {
    const int64_t begin = trace_.ts()[work], end = begin + std::max<int64_t>(trace_.dur()[work], 0);
    if (out_.kernels++ == 0) {
      first_ = end_ = begin;
    } else if (begin > end_) {
      gap(work, begin - end_);
    }
    out_.busy += std::max<int64_t>(end - std::max(begin, end_), 0);
    end_ = std::max(end_, end);
  }

  StreamGaps take() {
    out_.span = end_ - first_;
    return std::move(out_);
  }

 private:
  void gap(EventId work, int64_t length) {
    const EventId launch = links_.launch_of(work);
    const bool known = launch != Links::nobody || launched_.of(work) == LaunchTimes::before_all;
    if (launch != Links::nobody && trace_.ts()[launch] > end_) {
      out_.host += length;
      ++out_.host_gaps;
    } else if (known && length < options_.short_gap_ns) {
      out_.kernel += length;
      ++out_.kernel_gaps;
    } else {
      out_.other += length;
      ++out_.other_gaps;
    }
  }

  const Trace& trace_;
  const Links& links_;
  const LaunchTimes& launched_;
  const GapOptions& options_;
  StreamGaps out_;
  int64_t first_ = 0, end_ = 0;
};

// The name that takes most of the host's code between launches.
std::string busiest(const Trace& trace, const DeviceIdle& device) {
  const auto most =
      std::ranges::max_element(device.host_names, {}, [](const auto& each) { return each.second; });
  if (most == device.host_names.end()) return "";
  const std::string name =
      most->first == UINT32_MAX ? "code without events" : short_name(trace.names()[most->first]);
  return cat(", the largest part in ", name, " (", time_text(most->second), ")");
}

// What a device graph makes unnecessary.
bool is_launching(IdleCause cause) {
  return cause == IdleCause::launch || cause == IdleCause::host || cause == IdleCause::brief;
}

// What replaying the same work as a device graph would save.
struct GraphSaving {
  int64_t low = 0, high = 0;
};

GraphSaving graph_saving(const DeviceIdle& device) {
  int64_t most = 0, gaps = 0;
  for (const IdleGroup& group : device.groups) {
    if (!is_launching(group.cause)) continue;
    most += group.time;
    gaps = std::max(gaps, static_cast<int64_t>(group.gaps));
  }
  most = std::max<int64_t>(most - graph_gap_ns * gaps, 0);
  return {std::min(device.calls, most), most};
}

void conclude_host(const Trace& trace, const DeviceIdle& device, Findings& findings) {
  const TrackInfo& track = trace.tracks()[device.track];
  const GraphSaving graph = graph_saving(device);
  uint64_t gaps = 0;
  std::vector<std::pair<int64_t, EventId>> each;
  Pieces when;
  for (const IdleGroup& group : device.groups) {
    if (!is_launching(group.cause)) continue;
    gaps = std::max(gaps, group.gaps);
    each.insert(each.end(), group.each.begin(), group.each.end());
    when.add(group.when);
  }
  // A graph launches without the code between launches, but not without what prepares their data.
  constexpr int64_t long_gap_ns = 1'000'000;
  const bool is_long = graph.high > long_gap_ns * static_cast<int64_t>(gaps);
  std::ranges::sort(each);
  std::vector<EventId> events;
  for (const auto& [length, e] : each)
    if (std::ranges::find(events, e) == events.end()) events.push_back(e);
  findings.add(
      {cat("gaps.host.", track.pid),
       cat(device_name(track), " is idle for ", percent_text(device.idle, device.window.length()),
           " of ", time_text(device.window.length()), "; in ", counted(gaps, "gap"),
           " the host had not launched: ",
           time_text(device.of(IdleCause::launch) + device.of(IdleCause::brief)),
           " of launching and ", time_text(device.of(IdleCause::host)),
           " of other code on the host", busiest(trace, device)),
       is_long ? "do what the host does there on another thread, ahead of the step, or on the "
                 "device"
               : "replay the same work as a device graph, compile it into fewer kernels, or move "
                 "the host's work between launches to another thread"},
      graph.low, graph.high, std::move(events), std::move(when));
}

void conclude_others(const Trace& trace, const DeviceIdle& device, Findings& findings) {
  const TrackInfo& track = trace.tracks()[device.track];
  for (const IdleGroup& group : device.groups) {
    std::vector<EventId> events;
    for (const auto& [length, e] : group.each)
      if (std::ranges::find(events, e) == events.end()) events.push_back(e);
    const std::string idle =
        cat(device_name(track), " is idle for ", time_text(group.time), " of ",
            time_text(device.window.length()), " in ", counted(group.gaps, "gap"));
    if (group.cause == IdleCause::unrecorded)
      findings.add({cat("gaps.unrecorded.", track.pid),
                    cat(idle, " in which nothing is recorded on the launching thread"),
                    in_words_of_producer(trace,
                                         "record with_stack=True, or your own ranges, to see what "
                                         "runs there, then move it to another thread or out of the "
                                         "loop")},
                   0, group.time, events, Pieces(group.when));
    if (group.cause == IdleCause::capture)
      findings.add({cat("gaps.capture.", track.pid),
                    cat(idle,
                        " in which the host captures a device graph: what it launches runs when "
                        "the graph is replayed"),
                    "record steps that replay the graph; capture it once, before them"},
                   group.time, group.time, events, Pieces(group.when));
    if (group.cause == IdleCause::dependency)
      findings.add({cat("gaps.dependency.", track.pid),
                    cat(idle,
                        " although the next work had been launched: launching faster saves "
                        "nothing there"),
                    "look at what that work waits for: events of other streams, other ranks "
                    "(`vitro trace ranks`), nodes of a graph that are not recorded; "
                    "enable_cuda_sync_events=True records which events"},
                   0, group.time, events, Pieces(group.when), Confidence::possible);
  }
}

AnswerTable gaps_table(const Trace& trace, const std::vector<StreamGaps>& list,
                       std::string_view name, std::string title) {
  AnswerTable table{name,
                    std::move(title),
                    {{"stream", "Stream"},
                     {"kernels", "Work", Unit::count},
                     {"span_ns", "Span", Unit::ns},
                     {"busy_percent", "Busy", Unit::percent},
                     {"host_ns", "Waits for host", Unit::ns},
                     {"host_gaps", "Gaps", Unit::count},
                     {"kernel_ns", "Between kernels", Unit::ns},
                     {"kernel_gaps", "Gaps", Unit::count},
                     {"other_ns", "Other", Unit::ns},
                     {"other_gaps", "Gaps", Unit::count}},
                    {},
                    {AnswerPlot::Kind::shares, "stream", "busy_percent", {}}};
  const bool devices = table.name == "devices";
  if (devices) table.columns.front().title = "Device";
  for (const StreamGaps& s : list) {
    const TrackInfo& track = trace.tracks()[s.track];
    table.rows.push_back(
        {devices ? device_name(track) : stream_name(track), static_cast<int64_t>(s.kernels), s.span,
         percent(s.busy, s.span), s.host, static_cast<int64_t>(s.host_gaps), s.kernel,
         static_cast<int64_t>(s.kernel_gaps), s.other, static_cast<int64_t>(s.other_gaps)});
  }
  return table;
}

// Each group of causes, device by device.
AnswerTable idle_table(const Trace& trace, const std::vector<DeviceIdle>& all) {
  AnswerTable table{"idle",
                    "Why each device was idle in the measured time",
                    {{"device", "Device"},
                     {"cause", "Cause"},
                     {"name", "Within"},
                     {"time_ns", "Time", Unit::ns},
                     {"share", "Of the window", Unit::percent},
                     {"gaps", "Gaps", Unit::count},
                     {"event", "Event", Unit::count}},
                    {}};
  for (const DeviceIdle& device : all) {
    for (const IdleGroup& group : device.groups) {
      const std::string name = group.name == UINT32_MAX ? "" : trace.names()[group.name];
      const AnswerCell event =
          group.each.empty() ? AnswerCell() : static_cast<int64_t>(group.each.front().second);
      table.rows.push_back({device_name(trace.tracks()[device.track]),
                            std::string(name_of(group.cause)), name, group.time,
                            percent(group.time, device.window.length()),
                            static_cast<int64_t>(group.gaps), event});
    }
  }
  return table;
}

Gaps read_gaps(const TraceIndex& index, const GapOptions& options) {
  const Trace& trace = index.trace();
  const WorkKinds& kinds = index->kinds();
  const Links& links = index->links();
  const LaunchTimes& launched = index->launched();
  const TrackOrder& order = index->work();
  Gaps out;
  std::map<std::string, std::vector<EventId>> by_device;
  const auto read = [&](uint32_t track, std::span<const EventId> work) {
    StreamReader reader(trace, links, launched, options, track);
    for (const EventId e : paced(work)) reader.add(e);
    return reader;
  };
  for (uint32_t t = 0; t < order.tracks(); ++t) {
    std::vector<EventId> work;
    std::ranges::copy_if(order.track(t), std::back_inserter(work),
                         [&](EventId e) { return kinds[e] != WorkKind::wait; });
    if (work.empty()) continue;
    out.streams.push_back(read(t, work).take());
    std::vector<EventId>& device = by_device[trace.tracks()[t].pid];
    device.insert(device.end(), work.begin(), work.end());
  }
  for (auto& [pid, work] : by_device) {
    sort_runs_by(work, [&](EventId e) { return trace.ts()[e]; });
    StreamReader reader = read(trace.track_ids()[work.front()], work);
    out.devices.push_back(reader.take());
  }
  return out;
}

}  // namespace

Gaps gaps(const TraceIndex& index, const GapOptions& options) {
  return read_gaps(index, options);
}

Answer answer_gaps(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Gaps all = gaps(index);
  const std::vector<DeviceIdle>& idle = index->idle();
  AnswerTable graph{
      "device_graphs",
      "How much of the waits for the host a device graph would save",
      {{"device", "Device"}, {"low_ns", "At least", Unit::ns}, {"high_ns", "At most", Unit::ns}},
      {}};
  Findings findings(index);
  for (const DeviceIdle& device : idle) {
    const GraphSaving saving = graph_saving(device);
    graph.rows.push_back({device_name(trace.tracks()[device.track]), saving.low, saving.high});
    conclude_host(trace, device, findings);
    conclude_others(trace, device, findings);
  }
  return {"gaps",
          {gaps_table(trace, all.streams, "streams", "Idle time of each stream"),
           gaps_table(trace, all.devices, "devices", "Idle time of all streams of a device"),
           idle_table(trace, idle), std::move(graph)},
          findings.take()};
}

}  // namespace vitro::analyze
