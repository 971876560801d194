// Presents a critical path as tables and findings: the answer of `vitro trace critical-path`, with
// the least and most that each finding could save.
#include <algorithm>
#include <map>
#include <numeric>

#include "analyze/findings/findings.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/links.h"
#include "analyze/model/producer.h"
#include "analyze/model/waits.h"
#include "analyze/model/words.h"
#include "analyze/questions/critical_path/critical_path.h"
#include "base/sort_list.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

using enum PathKind;

// Time on the path by kind and name.
struct Named {
  PathKind kind;
  uint32_t name;  // UINT32_MAX: nothing was recorded
  int64_t time = 0, segments = 0;
  PathSegment longest;
};

std::vector<Named> by_name(const Trace& trace, const CriticalPath& path) {
  std::map<std::pair<PathKind, uint32_t>, Named> groups;
  for (const PathSegment& s : path.segments) {
    const uint32_t name = s.event == PathSegment::nobody ? UINT32_MAX : trace.name_ids()[s.event];
    Named& group = groups.try_emplace({s.kind, name}, Named{s.kind, name, 0, 0, s}).first->second;
    group.time += s.end - s.begin;
    ++group.segments;
    if (s.end - s.begin > group.longest.end - group.longest.begin) group.longest = s;
  }
  std::vector<Named> out;
  for (auto& [key, group] : groups) out.push_back(group);
  sort_list(out, std::ranges::greater(), &Named::time);
  return out;
}

std::string name_text(const Trace& trace, uint32_t name) {
  return name == UINT32_MAX ? "(nothing recorded)" : trace.names()[name];
}

AnswerCell event_cell(EventId event) {
  return event == PathSegment::nobody ? AnswerCell() : AnswerCell(static_cast<int64_t>(event));
}

class Conclusion {
 public:
  Conclusion(const TraceIndex& index, const CriticalPath& path, const std::vector<Named>& names)
      : index_(index),
        trace_(index.trace()),
        path_(path),
        names_(names),
        measured_(index->window()),
        findings_(index) {}

  std::vector<Finding> run() {
    // What the host does costs nothing while devices work.
    findings_.only_while(index_->idle_time());
    path_.device_busy > 0 ? host() : between_ops();
    one(data_loading, "data loading is on", "load ahead: more workers, prefetch, pinned memory");
    one(launch_delay, "launched work waiting to begin is on",
        "launch further ahead, or replay the work as one device graph");
    one(sync, "the end of waits, after the awaited work, is on",
        "wait less often: .item(), .cpu(), nonzero() and printing tensors wait");
    findings_.only_while(std::nullopt);
    one(communication, "communication is on",
        "overlap it with computation, send less (larger buckets, fewer bytes), or see in the "
        "traces of all ranks whether it waits for a slow one");
    one(copy, "copies and fills are on",
        "copy from pinned memory with non_blocking=True, keep data on the device, fuse fills");
    // While other streams work, a gap costs nothing.
    findings_.only_while(index_->idle_time());
    one(kernel_delay, "short gaps between kernels are on",
        launched_together() ? "fuse kernels: these are launched together already"
                            : "fuse kernels, or replay them as one device graph");
    one(device_wait, "stream gaps that the file does not explain are on",
        path_.sync_records > 0 ? "look at what the other streams do there"
        : index_->launches().empty()
            ? "record the calls of the host, too, which may explain them"
            : "record waits too (enable_cuda_sync_events=True), which may explain them");
    return findings_.take();
  }

 private:
  // Even an infinitely fast host leaves the time that the device works.
  void host() {
    const int64_t all = path_.total(host_op) + path_.total(host_call) + path_.total(host_other);
    const int64_t most = std::min(all, path_.window.length() - path_.device_busy);
    findings_.add(
        {"critical_path.host",
         cat("the host is on the critical path, while no device works, for ", time_text(most),
             " of ", whole(), " (", percent_text(most, path_.window.length()),
             "), the largest part of ", most < all ? cat("its ", time_text(all)) : "it", " in ",
             longest_name({host_op, host_call, host_other}), "; the device works for ",
             time_text(path_.device_busy)),
         advice(all, true,
                "launch less: compile or fuse, replay a device graph; move the host's work "
                "between launches to another thread")},
        launch_calls(), most, longest({host_op, host_call, host_other}),
        pieces({host_op, host_call, host_other}));
  }

  void between_ops() {
    const int64_t all = path_.total(host_other);
    findings_.add({"critical_path.host_outside_ops",
                   cat("for ", time_text(all), " of ", time_text(path_.window.length()), " (",
                       percent_text(all, path_.window.length()),
                       ") no op runs on the critical path; the largest part of that is in ",
                       longest_name({host_other})),
                   advice(all, false,
                          "compile, so that fewer and larger ops are called from the interpreter")},
                  beyond_other_steps(host_other), all, longest({host_other}), pieces({host_other}));
  }

  // Whether most short gaps are between kernels of one launch, as of a device graph.
  bool launched_together() const {
    int64_t within = 0;
    EventId before = PathSegment::nobody;
    for (const PathSegment& s : path_.segments) {
      if (s.event == PathSegment::nobody) continue;
      if (s.kind == kernel_delay && before != PathSegment::nobody &&
          index_->links().are_launched_together(before, s.event))
        within += s.end - s.begin;
      before = s.event;
    }
    return 2 * within > path_.total(kernel_delay);
  }

  // Nothing recorded, or only a step.
  bool is_dark(uint32_t name) const { return name == UINT32_MAX || index_->is_step()[name]; }

  // Compiling does not help with long stretches without an op or call, waits and slow calls. `all`:
  // including runtime `calls`, or not.
  std::string advice(int64_t all, bool calls, std::string_view otherwise) const {
    constexpr int64_t long_ns = 1'000'000;  // the interpreter takes less than this between two ops
    const Classes& classes = index_->classes();
    int64_t dark = 0, waits = 0, slow = 0, own = 0;
    for (const PathSegment& s : path_.segments) {
      const int64_t length = s.end - s.begin;
      if (calls && s.kind == host_call && length > slow_call_ns) slow += length;
      if (s.kind != host_other) continue;
      const bool named = s.event != PathSegment::nobody;
      if (named && other_wait(trace_.name(s.event)) != WaitKind::nothing) {
        waits += length;
      } else if (length >= long_ns) {
        (named && classes[s.event] == EventClass::python ? own : dark) += length;
      }
    }
    const int64_t rest = all - slow - waits - dark - own;
    if (2 * slow > all)
      return "most of it is slow runtime calls, listed by `launches`: warm up before measuring, "
             "keep "
             "memory, streams and graphs";
    if (waits > std::max({slow, dark, own, rest}))
      return "find what it waits for there (another thread, a lock, data), and let it work "
             "meanwhile";
    if (2 * dark > all || dark > path_.total(host_op) + path_.total(host_call))
      return in_words_of_producer(trace_,
                                  "the file has no ops there: record with_stack=True, or your own "
                                  "ranges, to see what runs, then move it to another thread or out "
                                  "of the loop");
    if (2 * own > all)
      return "Python functions that call no ops take most of it: call them less often, or on "
             "another thread";
    return std::string(otherwise);
  }

  // The time that contains the path: longer than the measured window if devices work on after it.
  std::string whole() const {
    const bool longer = path_.window.length() > measured_.length();
    return cat(time_text(path_.window.length()), longer ? " until all launched work is done" : "");
  }

  void one(PathKind kind, std::string_view what, std::string_view advice) {
    const int64_t all = path_.total(kind);
    if (kind == launch_delay && 2 * all_of(lengths(kind)) < all) return;
    std::string key(name_of(kind)), alone;
    std::ranges::replace(key, ' ', '_');
    Pieces when = pieces({kind});
    int64_t most = all;
    if (is_of_device(kind)) {
      const Intervals exposed = without_computation(kind);
      most = exposed.length();
      when = {};
      when.add(exposed);
      if (most < all)
        alone = cat(", ", time_text(most), " of that while its device computes nothing");
      if (2 * most < all)
        advice =
            "most of it runs beside computation already: send and copy less (smaller types, "
            "fewer bytes, larger buckets)";
    }
    findings_.add({cat("critical_path.", key),
                   cat(what, " the critical path for ", time_text(all), " of ", whole(), " (",
                       percent_text(all, path_.window.length()), "), the largest part ",
                       is_gap(kind) ? "before " : "in ", longest_name({kind}), alone),
                   std::string(advice)},
                  least(kind), most, longest({kind}), std::move(when),
                  kind == device_wait ? Confidence::possible : Confidence::likely);
  }

  static bool is_of_device(PathKind kind) { return kind == communication || kind == copy; }

  // The part in which its device computes nothing: the rest would take as long without it.
  Intervals without_computation(PathKind kind) const {
    Intervals out;
    for (const Device& device : index_->devices()) {
      Intervals on;
      for (const PathSegment& s : path_.segments)
        if (s.kind == kind && trace_.tracks()[s.track].pid == trace_.tracks()[device.track].pid)
          on.add(s.begin, s.end);
      if (on.empty()) continue;
      const WorkTimes times = times_of(trace_, index_->kinds(), device.work);
      out = united(out, without(on, times.compute));
    }
    return out;
  }

  // Time before the named work.
  static bool is_gap(PathKind kind) {
    return kind == launch_delay || kind == kernel_delay || kind == device_wait;
  }

  // Nothing is sure about waits whose cause is not in the file.
  int64_t least(PathKind kind) const {
    if (kind == device_wait) return 0;
    return is_latency(kind) ? beyond_median(lengths(kind)) : beyond_other_steps(kind);
  }

  // Latencies of devices and drivers: their median shows how fast they can be.
  static bool is_latency(PathKind kind) {
    return kind == launch_delay || kind == kernel_delay || kind == sync;
  }

  // Nothing is known about devices that work much later than the steps that launch it: what they do
  // within a step is not the work of that step.
  int64_t beyond_other_steps(PathKind kind) const {
    constexpr int64_t least_part = 4;
    const int64_t late = path_.window.end - measured_.end;
    if (is_of_device(kind) && least_part * late * std::ssize(index_->steps()) > measured_.length())
      return 0;
    Intervals when;
    for (const PathSegment& s : path_.segments)
      if (s.kind == kind) when.add(s.begin, s.end);
    return analyze::beyond_other_steps(index_->steps(), path_.window, when);
  }

  // Work that begins long after its launch waits for something else (IdleCause::dependency).
  std::vector<int64_t> lengths(PathKind kind) const {
    std::vector<int64_t> out;
    for (const PathSegment& s : path_.segments)
      if (s.kind == kind && (kind != launch_delay || s.end - s.begin < short_gap_ns))
        out.push_back(s.end - s.begin);
    return out;
  }

  static int64_t all_of(const std::vector<int64_t>& times) {
    return std::accumulate(times.begin(), times.end(), int64_t{0});
  }

  Pieces pieces(std::initializer_list<PathKind> kinds) const {
    Pieces out;
    for (const PathSegment& s : path_.segments)
      if (is_one(s.kind, kinds)) out.add(s.begin, s.end);
    return out;
  }

  // Calls on the path that launched work, which a device graph makes unnecessary.  A slow call
  // (code loading, a full queue) would remain slow, so each counts at most as a usual one.
  int64_t launch_calls() const {
    const Links& links = index_->links();
    int64_t sum = 0;
    for (const PathSegment& s : path_.segments) {
      if (s.kind == host_call && !links.work_of(s.event).empty())
        sum += std::min(s.end - s.begin, slow_call_ns);
    }
    return sum;
  }

  static bool is_one(PathKind kind, std::initializer_list<PathKind> kinds) {
    return std::ranges::find(kinds, kind) != kinds.end();
  }

  std::string longest_name(std::initializer_list<PathKind> kinds) const {
    const Named* most = nullptr;
    int64_t dark = 0;
    for (const Named& named : names_) {
      if (!is_one(named.kind, kinds)) continue;
      if (is_dark(named.name)) {
        dark += named.time;
      } else if (!most) {
        most = &named;
      }
    }
    if (dark > (most ? most->time : 0)) return cat("unrecorded code (", time_text(dark), ")");
    return most ? cat(short_name(trace_.names()[most->name]), " (", time_text(most->time), ")")
                : "nothing";
  }

  std::vector<EventId> longest(std::initializer_list<PathKind> kinds) const {
    std::vector<std::pair<int64_t, uint32_t>> found;  // its length, negated, and place
    for (const PathSegment& s : path_.segments) {
      if (is_one(s.kind, kinds) && s.event != PathSegment::nobody)
        found.emplace_back(s.begin - s.end, static_cast<uint32_t>(&s - path_.segments.data()));
    }
    std::ranges::sort(found);
    std::vector<EventId> out;
    for (const auto& [length, place] : found) {
      const EventId e = path_.segments[place].event;
      if (std::ranges::find(out, e) == out.end()) out.push_back(e);
      if (out.size() == 10) break;
    }
    return out;
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const CriticalPath& path_;
  const std::vector<Named>& names_;
  const Window& measured_;
  Findings findings_;
};

std::string trust(const CriticalPath& path) {
  if (path.inferred_waits == 0) return "every dependency on the path is in the file";
  return cat(path.inferred_waits, " of ", path.inferred_waits + path.known_waits,
             " waits on the path are inferred from the times",
             path.sync_records == 0 && path.device_busy > 0
                 ? "; enable_cuda_sync_events=True records what waits for what"
                 : "");
}

AnswerTable summary_table(const CriticalPath& path) {
  AnswerTable table{"path",
                    "Critical path",
                    {{"bound_by", "bound by"},
                     {"length_ns", "length", Unit::ns},
                     {"device_busy_ns", "device busy", Unit::ns},
                     {"begin_ns", "begins at, ns", Unit::count},
                     {"sync_records", "wait records in the file", Unit::count},
                     {"known_waits", "waits on the path: known", Unit::count},
                     {"inferred_waits", "waits on the path: inferred", Unit::count},
                     {"trust", "trust"}},
                    {}};
  table.rows = {{path.bound_by(), path.window.length(), path.device_busy, path.window.begin,
                 static_cast<int64_t>(path.sync_records), static_cast<int64_t>(path.known_waits),
                 static_cast<int64_t>(path.inferred_waits), trust(path)}};
  table.is_record = true;
  return table;
}

AnswerTable kinds_table(const CriticalPath& path) {
  AnswerTable table{"kinds",
                    "What the run waited for",
                    {{"kind", "Kind"},
                     {"time_ns", "Time", Unit::ns},
                     {"share", "Share", Unit::percent},
                     {"segments", "Segments", Unit::count}},
                    {}};
  for (size_t k = 0; k < path_kinds; ++k) {
    const auto kind = static_cast<PathKind>(k);
    const auto count = std::ranges::count(path.segments, kind, &PathSegment::kind);
    table.rows.push_back({std::string(name_of(kind)), path.total(kind),
                          percent(path.total(kind), path.window.length()),
                          static_cast<int64_t>(count)});
  }
  table.plot = {AnswerPlot::Kind::shares, "kind", "time_ns", {}};
  return table;
}

AnswerTable names_table(const Trace& trace, const CriticalPath& path,
                        const std::vector<Named>& names) {
  AnswerTable table{"names",
                    "By name",
                    {{"name", "Name"},
                     {"kind", "Kind"},
                     {"time_ns", "Time", Unit::ns},
                     {"share", "Share", Unit::percent},
                     {"segments", "Segments", Unit::count},
                     {"longest_ns", "Longest", Unit::ns},
                     {"event", "Event", Unit::count}},
                    {}};
  for (const Named& n : names) {
    table.rows.push_back({name_text(trace, n.name), std::string(name_of(n.kind)), n.time,
                          percent(n.time, path.window.length()), n.segments,
                          n.longest.end - n.longest.begin, event_cell(n.longest.event)});
  }
  return table;
}

AnswerTable segments_table(const Trace& trace, const CriticalPath& path) {
  AnswerTable table{"segments",
                    "Segments, by time",
                    {{"begin_ns", "Begin", Unit::count},
                     {"time_ns", "Time", Unit::ns},
                     {"kind", "Kind"},
                     {"name", "Name"},
                     {"event", "Event", Unit::count},
                     {"pid", "Pid"},
                     {"tid", "Tid"}},
                    {}};
  for (const PathSegment& s : path.segments) {
    const TrackInfo& track = trace.tracks()[s.track];
    const bool named = s.event != PathSegment::nobody;
    table.rows.push_back({s.begin - path.window.begin, s.end - s.begin,
                          std::string(name_of(s.kind)),
                          name_text(trace, named ? trace.name_ids()[s.event] : UINT32_MAX),
                          event_cell(s.event), track.pid, track.tid});
  }
  return table;
}

PathOptions options_of(const Parameters& parameters) {
  PathOptions options;
  if (!parameters.text("step").empty()) options.step = parameters.number("step");
  options.annotation = parameters.text("annotation");
  options.instance = parameters.number("instance");
  options.data_loading = parameters.text("data-loading");
  return options;
}

}  // namespace

Answer answer_critical_path(const TraceIndex& index, const Parameters& parameters) {
  const Trace& trace = index.trace();
  const CriticalPath path = critical_path(index, options_of(parameters));
  const std::vector<Named> names = by_name(trace, path);
  Answer answer{"critical-path",
                {summary_table(path), kinds_table(path), names_table(trace, path, names)},
                Conclusion(index, path, names).run()};
  if (parameters.flag("segments")) answer.tables.push_back(segments_table(trace, path));
  if (!parameters.text("overlay").empty()) write_overlay(trace, path, parameters.text("overlay"));
  return answer;
}

}  // namespace vitro::analyze
