// Classifies the gaps of streams and devices by what they waited for, and estimates the saving of
// a device graph; answers `vitro trace gaps`.
#include "vitro/analyze/gaps.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "analyze/device_work.h"
#include "analyze/findings.h"
#include "analyze/launch_times.h"
#include "analyze/sort_runs.h"
#include "analyze/words.h"
#include "vitro/analyze/launches.h"
#include "vitro/analyze/links.h"
#include "vitro/analyze/timeline.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

constexpr size_t most_events = 10;

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
    std::ranges::stable_sort(host_, std::ranges::greater(), &Gap::length);
    for (const Gap& gap : host_) {
      if (out_.longest_host.size() < most_events) out_.longest_host.push_back(gap.behind);
    }
    return std::move(out_);
  }
  // Gaps in which the device waited for the host.
  Pieces take_pieces() { return std::move(pieces_); }

 private:
  struct Gap {
    int64_t length;
    EventId behind;
  };

  void gap(EventId work, int64_t length) {
    const EventId launch = links_.launch_of(work);
    const bool known =
        launch != Links::nobody || launched_.of(work) == LaunchTimes::before_all;
    if (launch != Links::nobody && trace_.ts()[launch] > end_) {
      out_.host += length;
      ++out_.host_gaps;
      const int64_t call =
          std::clamp<int64_t>(trace_.dur()[launch], 0, LaunchOptions{}.slow_call_ns);
      out_.launch_calls += std::min(length, call);
      host_.push_back({length, work});
      pieces_.add(end_, end_ + length);
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
  std::vector<Gap> host_;
  Pieces pieces_;
  int64_t first_ = 0, end_ = 0;
};

std::vector<Finding> conclude(const Trace& trace, const Gaps& gaps, std::vector<Pieces> pieces) {
  Findings findings(trace);
  for (size_t d = 0; d < gaps.devices.size(); ++d) {
    const StreamGaps& device = gaps.devices[d];
    const TrackInfo& track = trace.tracks()[device.track];
    const int64_t idle = device.span - device.busy, most = Gaps::graph_saves_high(device);
    findings.add(
        {cat("gaps.host.", track.pid),
         cat(device_name(track), " idles ", percent_text(idle, device.span), " of its ",
             time_text(device.span), "; ", time_text(device.host), " of that in ", device.host_gaps,
             " gaps because the host launched too late; a device graph would save up to ",
             time_text(most)),
         "replay the same work as a device graph, compile it into fewer kernels, or move the "
         "host's work between launches to another thread"},
        Gaps::graph_saves_low(device), most, device.longest_host, std::move(pieces[d]));
  }
  return findings.take();
}

AnswerTable gaps_table(const Trace& trace, const std::vector<StreamGaps>& list, std::string name,
                       std::string title) {
  AnswerTable table{std::move(name),
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

struct Reading {
  Gaps gaps;
  std::vector<Pieces> pieces;  // by device: gaps that waited for the host
};

Reading read_gaps(const Trace& trace, const GapOptions& options) {
  const Classes classes(trace);
  const WorkKinds kinds(trace, classes);
  const Links links(trace, classes);
  const LaunchTimes launched(trace, classes, links);
  const TrackOrder order(
      trace, [&](EventId e) { return classes.is_device_work(e) && kinds[e] != WorkKind::wait; });
  Reading out;
  std::map<std::string, std::vector<EventId>> by_device;
  const auto read = [&](uint32_t track, std::span<const EventId> work) {
    StreamReader reader(trace, links, launched, options, track);
    for (const EventId e : paced(work)) reader.add(e);
    return reader;
  };
  for (uint32_t t = 0; t < order.tracks(); ++t) {
    const std::span<const EventId> work = order.track(t);
    if (work.empty()) continue;
    out.gaps.streams.push_back(read(t, work).take());
    std::vector<EventId>& device = by_device[trace.tracks()[t].pid];
    device.insert(device.end(), work.begin(), work.end());
  }
  for (auto& [pid, work] : by_device) {
    sort_runs_by(work, [&](EventId e) { return trace.ts()[e]; });
    StreamReader reader = read(trace.track_ids()[work.front()], work);
    out.pieces.push_back(reader.take_pieces());
    out.gaps.devices.push_back(reader.take());
  }
  return out;
}

}  // namespace

Gaps gaps(const Trace& trace, const GapOptions& options) {
  return read_gaps(trace, options).gaps;
}

int64_t Gaps::graph_saves_high(const StreamGaps& device) {
  return std::max<int64_t>(device.host - graph_gap_ns * static_cast<int64_t>(device.host_gaps), 0);
}

Answer answer_gaps(const Trace& trace) {
  auto [all, pieces] = read_gaps(trace, {});
  AnswerTable graph{
      "device_graphs",
      "How much of the waits for the host a device graph would save",
      {{"device", "Device"}, {"low_ns", "At least", Unit::ns}, {"high_ns", "At most", Unit::ns}},
      {}};
  for (const StreamGaps& device : all.devices) {
    graph.rows.push_back({device_name(trace.tracks()[device.track]), Gaps::graph_saves_low(device),
                          Gaps::graph_saves_high(device)});
  }
  Answer answer{"gaps",
                {gaps_table(trace, all.streams, "streams", "Idle time of each stream"),
                 gaps_table(trace, all.devices, "devices", "Idle time of all streams of a device"),
                 std::move(graph)},
                conclude(trace, all, std::move(pieces))};
  return answer;
}

}  // namespace vitro::analyze
