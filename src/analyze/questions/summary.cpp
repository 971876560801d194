// Sums the activity of devices and host threads by window, and finds exposed copies, layout
// conversions and profiler overhead; answers `vitro trace summary`.
#include "analyze/questions/summary.h"

#include <algorithm>
#include <map>

#include "analyze/findings/findings.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/timeline.h"
#include "analyze/model/words.h"
#include "analyze/questions/phases.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/counted.h"

namespace vitro::analyze {
namespace {

constexpr size_t all_part = 0;

void add_device(const Trace& trace, const WorkKinds& kinds, const Device& device, Summary& out) {
  const WorkTimes times = times_of(trace, kinds, device.work);
  const Intervals used = united(times.compute, times.communication);
  int64_t last = INT64_MIN;
  for (const EventId e : device.work) last = std::max(last, end_of(trace, e));
  const Window own{trace.ts()[device.work.front()], last};
  for (size_t w = 0; w < out.windows.size(); ++w) {
    const auto [begin, end] = w == all_part ? own : out.windows[w].window;
    const int64_t busy = times.busy.length_in(begin, end);
    if (busy == 0) continue;
    DeviceTimes d{device.track, w, end - begin};
    d.compute = times.compute.length_in(begin, end);
    d.communication = used.length_in(begin, end) - d.compute;
    d.memory = busy - d.compute - d.communication;
    d.idle = d.length - busy;
    out.devices.push_back(d);
  }
}

int64_t ThreadTimes::* part_of(EventClass which) {
  switch (which) {
    case EventClass::op:
      return &ThreadTimes::ops;
    case EventClass::runtime:
      return &ThreadTimes::runtime;
    case EventClass::python:
      return &ThreadTimes::python;
    case EventClass::annotation:
      return &ThreadTimes::annotations;
    default:
      return &ThreadTimes::other;
  }
}

class ThreadReader {
 public:
  ThreadReader(const TraceIndex& index, const Summary& summary)
      : trace_(index.trace()), classes_(index->classes()), is_step_(index->is_step()) {
    for (const NamedWindow& each : summary.windows) windows_.push_back(each.window);
  }

  void add(uint32_t track, std::span<const EventId> events, Summary& out) const {
    std::vector<ThreadTimes> times(windows_.size());
    const auto behind_all = std::span(windows_).subspan(1);
    WindowCutter cutter(behind_all);
    Window own{trace_.ts()[events.front()], INT64_MIN};
    for (const EventId e : events) own.end = std::max(own.end, end_of(trace_, e));
    each_self(trace_, events, [&](EventId e, int64_t begin, int64_t end) {
      if (is_step_[trace_.name_ids()[e]]) return;
      int64_t ThreadTimes::* const part = part_of(classes_[e]);
      times[all_part].*part += end - begin;
      cutter.cut(begin, end,
                 [&](size_t w, int64_t from, int64_t to) { times[w + 1].*part += to - from; });
    });
    for (size_t w = 0; w < times.size(); ++w) {
      ThreadTimes& t = times[w];
      const int64_t busy = t.ops + t.runtime + t.python + t.annotations + t.other;
      if (busy == 0) continue;
      t.track = track;
      t.window = w;
      t.length = w == all_part ? own.length() : windows_[w].length();
      t.idle = t.length - busy;
      out.threads.push_back(t);
    }
  }

 private:
  const Trace& trace_;
  const Classes& classes_;
  const std::vector<bool>& is_step_;  // by name
  std::vector<Window> windows_;
};

// The exposed copies and fills of a device, by name.
struct Copies {
  Intervals ran;
  int64_t exposed = 0;  // each moment once
  uint64_t calls = 0;
  std::vector<std::pair<int64_t, EventId>> each;
};

std::string_view advice_on_copies(std::string_view name, bool hidden) {
  if (hidden)
    return "most of it runs beside kernels already: copy less (smaller types, what stays the same "
           "kept on the device)";
  if (holds(name, {"Pageable"}))
    return "copy from pinned memory (pin_memory, non_blocking), so that it overlaps with kernels";
  if (holds(name, {"DtoH", "-> Host"}))
    return "fetch results rarely, together, and while something else computes";
  if (holds(name, {"HtoD", "Host ->"}))
    return "copy the next batch on a separate stream while this one computes";
  return "avoid the copy: keep layouts and buffers, write results in place, fuse the fill";
}

void conclude_copies(const TraceIndex& index, size_t d, Findings& findings) {
  const Device& device = index->devices()[d];
  const Trace& trace = index.trace();
  const WorkKinds& kinds = index->kinds();
  const Window& window = index->window();
  const WorkTimes times = times_of(trace, kinds, device.work);
  const Intervals used = united(times.compute, times.communication);
  const Intervals exposed = without(without(times.memory, used), index->late()[d]);
  std::map<std::string_view, Copies> by_name;
  for (const EventId e : paced(device.work)) {
    if (kinds[e] != WorkKind::memory) continue;
    const int64_t begin = std::max(trace.ts()[e], window.begin);
    const int64_t length = exposed.length_in(begin, std::min(end_of(trace, e), window.end));
    if (length == 0) continue;
    Copies& copies = by_name[trace.name(e)];
    copies.ran.add(trace.ts()[e], end_of(trace, e));
    ++copies.calls;
    copies.each.emplace_back(-length, e);
  }
  for (auto& [name, copies] : by_name)
    copies.exposed = common(copies.ran, exposed).length_in(window.begin, window.end);
  const auto most =
      std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second.exposed; });
  if (most == by_name.end()) return;
  Copies& copies = most->second;
  std::ranges::sort(copies.each);
  std::vector<EventId> events;
  for (const auto& [length, e] : copies.each) events.push_back(e);
  const TrackInfo& track = trace.tracks()[device.track];
  const int64_t all = exposed.length_in(window.begin, window.end);
  Pieces when;
  when.add(exposed);
  findings.add(
      {cat("summary.copies.", track.pid),
       cat(device_name(track), " copies and fills memory for ", time_text(all), " of ",
           time_text(window.length()), " while it computes nothing and the host is not late; ",
           time_text(copies.exposed), " of that in ", counted(copies.calls, "call"), " of ",
           short_name(most->first)),
       std::string(advice_on_copies(
           most->first, 2 * copies.exposed < copies.ran.length_in(window.begin, window.end)))},
      beyond_other_steps(index->steps(), window, exposed), all, std::move(events), std::move(when));
}

// Kernels with which convolution libraries convert images between layouts.
bool changes_layout(std::string_view name) {
  for (const std::string_view part : {"nchwToNhwc", "nhwcToNchw", "NCHWToNHWC", "NHWCToNCHW",
                                      "nchw2nhwc", "nhwc2nchw", "nchw_to_nhwc", "nhwc_to_nchw"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

void conclude_layouts(const Trace& trace, const Device& device, const Window& window,
                      Findings& findings) {
  std::vector<bool> wanted;
  for (const std::string& name : trace.names()) wanted.push_back(changes_layout(name));
  Intervals ran;
  std::vector<std::pair<int64_t, EventId>> each;
  for (const EventId e : device.work) {
    if (!wanted[trace.name_ids()[e]]) continue;
    const int64_t begin = std::max(trace.ts()[e], window.begin);
    const int64_t end = std::min(end_of(trace, e), window.end);
    if (begin >= end) continue;
    ran.add(begin, end);
    each.emplace_back(begin - end, e);
  }
  if (each.empty()) return;
  std::ranges::sort(each);
  std::vector<EventId> events;
  for (const auto& [length, e] : each) events.push_back(e);
  const std::string longest = short_name(trace.name(events.front()));
  const TrackInfo& track = trace.tracks()[device.track];
  Pieces when;
  when.add(ran);
  findings.add({cat("summary.layout.", track.pid),
                cat(device_name(track), " converts images between layouts for ",
                    time_text(ran.length()), " of ", time_text(window.length()), " in ",
                    counted(each.size(), "kernel"), ", the longest is ", longest),
                "keep the model and its inputs in the layout that its convolutions use: "
                "memory_format=torch.channels_last"},
               0, ran.length(), std::move(events), std::move(when));
}

void conclude_overhead(const TraceIndex& index, Findings& findings) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  const Window& window = index->window();
  std::vector<std::pair<int64_t, EventId>> longest;
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const EventId e : trace.events()) {
    if (classes[e] != EventClass::overhead) continue;
    longest.emplace_back(-trace.dur()[e], e);
    spans.emplace_back(trace.ts()[e], end_of(trace, e));
  }
  std::ranges::sort(longest);
  std::ranges::sort(spans);
  Intervals covered;
  for (const auto& [begin, end] : spans) covered.add(begin, end);
  const int64_t all = covered.length_in(window.begin, window.end);
  std::vector<EventId> events;
  for (const auto& [length, e] : longest) events.push_back(e);
  if (events.empty()) return;
  const std::string_view most = trace.name(events.front());
  Pieces when;
  when.add(covered);
  findings.add({"summary.overhead",
                cat("the profiler itself took ", time_text(all), " of ", time_text(window.length()),
                    ", the longest event is ", most),
                "warm up before the measured steps (schedule with warmup), record less, and do not "
                "trust times around these events"},
               0, all, std::move(events), std::move(when));
}

AnswerTable device_table(const Trace& trace, const Summary& s) {
  AnswerTable table{"devices",
                    "What the devices did",
                    {{"window", "Window"},
                     {"device", "Device"},
                     {"length_ns", "Length", Unit::ns},
                     {"compute_ns", "Compute", Unit::ns},
                     {"communication_ns", "Communication", Unit::ns},
                     {"memory_ns", "Memory", Unit::ns},
                     {"idle_ns", "Idle", Unit::ns},
                     {"busy_percent", "Busy", Unit::percent}},
                    {}};
  for (const DeviceTimes& d : s.devices) {
    table.rows.push_back({s.windows[d.window].name, device_name(trace.tracks()[d.track]), d.length,
                          d.compute, d.communication, d.memory, d.idle,
                          percent(d.length - d.idle, d.length)});
  }
  return table;
}

AnswerTable thread_table(const Trace& trace, const Summary& s) {
  AnswerTable table{"threads",
                    "What the threads of the host did",
                    {{"window", "Window"},
                     {"thread", "Thread"},
                     {"length_ns", "Length", Unit::ns},
                     {"ops_ns", "Ops", Unit::ns},
                     {"runtime_ns", "Runtime calls", Unit::ns},
                     {"python_ns", "Python", Unit::ns},
                     {"annotations_ns", "Annotations", Unit::ns},
                     {"other_ns", "Other", Unit::ns},
                     {"idle_ns", "Nothing recorded", Unit::ns},
                     {"busy_percent", "Busy", Unit::percent}},
                    {}};
  for (const ThreadTimes& t : s.threads) {
    table.rows.push_back({s.windows[t.window].name, thread_name(trace.tracks()[t.track]), t.length,
                          t.ops, t.runtime, t.python, t.annotations, t.other, t.idle,
                          percent(t.length - t.idle, t.length)});
  }
  return table;
}

}  // namespace

Summary summary(const TraceIndex& index) {
  const Trace& trace = index.trace();
  Summary out;
  out.windows = index->windows();
  for (const Device& device : index->devices()) add_device(trace, index->kinds(), device, out);
  const ThreadReader reader(index, out);
  for (uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const std::span<const EventId> events = index->host().track(t);
    if (!events.empty() && !index->is_stream()[t]) reader.add(t, events, out);
  }
  sort_list(out.devices, {}, &DeviceTimes::window);
  sort_list(out.threads, {}, &ThreadTimes::window);
  return out;
}

Answer answer_summary(const TraceIndex& index) {
  const Trace& trace = index.trace();
  const Summary s = summary(index);
  const Window& window = index->window();
  Findings findings(index);
  const std::vector<Device>& devices = index->devices();
  for (size_t d = 0; d < devices.size(); ++d) {
    conclude_copies(index, d, findings);
    conclude_layouts(trace, devices[d], window, findings);
  }
  findings.only_while(index->idle_time());
  conclude_overhead(index, findings);
  Answer answer{"summary", {device_table(trace, s), thread_table(trace, s)}, findings.take()};
  AnswerTable phases = phases_table(index);
  if (!phases.rows.empty()) answer.tables.push_back(std::move(phases));
  return answer;
}

}  // namespace vitro::analyze
