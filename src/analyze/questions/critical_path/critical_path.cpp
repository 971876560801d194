// Finds the critical path by one backward walk over threads, streams and their dependencies
// (path/); the definition is in critical_path.h.
#include "analyze/questions/critical_path/critical_path.h"

#include <algorithm>
#include <utility>

#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/questions/critical_path/dependencies.h"
#include "analyze/questions/critical_path/streams.h"
#include "analyze/questions/critical_path/threads.h"
#include "vitro/base/cat.h"
#include "vitro/base/error.h"

namespace vitro::analyze {
namespace {

using critical::Awaited;
using critical::Dependencies;
using critical::Streams;
using critical::Threads;

constexpr EventId nobody = PathSegment::nobody;

// The window to analyze, and the event that defines it.
struct Scope {
  Window window;
  EventId event = nobody;
};

EventId annotation_event(const TraceIndex& index, const PathOptions& options) {
  const Trace& trace = index.trace();
  const Classes& classes = index->classes();
  std::vector<EventId> found;
  for (const EventId e : trace.events()) {
    if (trace.phases()[e] == 'X' && classes[e] == EventClass::annotation &&
        trace.name(e).find(options.annotation) != std::string_view::npos)
      found.push_back(e);
  }
  std::ranges::stable_sort(found, {}, [&](EventId e) { return trace.ts()[e]; });
  VITRO_CHECK(options.instance >= 0 && static_cast<size_t>(options.instance) < found.size(),
              "critical-path: the trace has no instance ", options.instance, " of annotation '",
              options.annotation, "': it has ", found.size(), " whose name contains that text");
  return found[static_cast<size_t>(options.instance)];
}

Scope scope_of(const TraceIndex& index, const PathOptions& options) {
  const Trace& trace = index.trace();
  const std::vector<Step>& steps = index->steps();
  if (options.step) {
    const auto step = std::ranges::find(steps, *options.step, &Step::number);
    VITRO_CHECK(step != steps.end(), "critical-path: no step ", *options.step,
                " in the trace, which has ",
                steps.empty() ? std::string("none")
                              : cat("steps ", steps.front().number, " to ", steps.back().number));
    return {{step->begin, step->end}, step->event};
  }
  if (!options.annotation.empty()) {
    const EventId e = annotation_event(index, options);
    const int64_t begin = trace.ts()[e];
    return {{begin, end_of(trace, e)}, e};
  }
  return {index->window(), steps.empty() ? nobody : steps.back().event};
}

class Walk {
 public:
  Walk(const TraceIndex& index, const PathOptions& options)
      : index_(index),
        trace_(index.trace()),
        options_(options),
        classes_(index->classes()),
        timeline_(index->timeline()),
        links_(index->links()),
        streams_(index),
        threads_(trace_, classes_, timeline_),
        dependencies_(index, streams_),
        kinds_(index->kinds()) {
    for (const std::string& name : trace_.names()) {
      is_graph_.push_back(name.starts_with("## Call CompiledFxGraph"));
      loads_data_.push_back(!options.data_loading.empty() &&
                            name.find(options.data_loading) != std::string::npos);
    }
  }

  CriticalPath run() {
    begin();
    while (at_ > out_.window.begin) {
      const int64_t before = at_;
      work_ != nobody ? through_work() : through_thread();
      still_ = at_ < before ? 0 : still_ + 1;
    }
    std::ranges::reverse(out_.segments);
    for (const PathSegment& s : out_.segments)
      out_.totals[static_cast<size_t>(s.kind)] += s.end - s.begin;
    out_.sync_records = dependencies_.records();
    out_.device_busy = streams_.busy(out_.window.begin, out_.window.end);
    return std::move(out_);
  }

 private:
  // Jumps between equal times could form a cycle: in that case the walk stays on its row.
  bool may_jump() const { return still_ < 16; }

  void begin() {
    const Scope scope = scope_of(index_, options_);
    out_.window = scope.window;
    work_ = streams_.last_of(scope.window.begin, scope.window.end);
    thread_ = scope.event == nobody ? last_thread() : trace_.track_ids()[scope.event];
    home_ = thread_;
    if (work_ != nobody && streams_.end(work_) >= out_.window.end)
      out_.window.end = streams_.end(work_);
    else if (threads_.tracks().empty() && work_ != nobody)
      out_.window.end = streams_.end(work_);
    else
      work_ = nobody;
    at_ = out_.window.end;
    VITRO_CHECK(work_ != nobody || !threads_.tracks().empty(),
                "critical-path: the trace has neither host events nor device work");
  }

  // The host thread that worked last.
  uint32_t last_thread() const {
    const auto all = threads_.tracks();
    const auto last = std::ranges::max_element(
        all, {}, [&](uint32_t track) { return threads_.end_of_last(track); });
    return last == all.end() ? 0 : *last;
  }

  // The segment from at_ back to `to`.
  void take(int64_t to, PathKind kind, EventId event) {
    to = std::max(to, out_.window.begin);
    if (to >= at_) return;
    const uint32_t track = work_ != nobody ? trace_.track_ids()[work_] : thread_;
    out_.segments.push_back({to, at_, kind, event, track});
    at_ = to;
  }

  void count(bool inferred) { ++(inferred ? out_.inferred_waits : out_.known_waits); }

  void through_thread() {
    const Threads::Innermost innermost = threads_.innermost(thread_, at_);
    if (may_jump() && (hand_over() || wait(innermost.event))) return;
    take(innermost.since, host_kind(innermost.event), innermost.event);
  }

  bool hand_over() {
    const auto from = threads_.handed_over(thread_, at_);
    if (!from || from->at <= out_.window.begin) return false;
    while (at_ > from->at) {
      const Threads::Innermost innermost = threads_.innermost(thread_, at_);
      take(std::max(from->at, innermost.since), PathKind::host_other, innermost.event);
    }
    thread_ = from->track;
    count(true);
    return true;
  }

  bool wait(EventId call) {
    if (call == nobody || classes_[call] != EventClass::runtime) return false;
    const Awaited awaited = dependencies_.of_call(call, at_);
    if (!awaited) return false;
    take(streams_.end(awaited.work), PathKind::sync, call);
    work_ = awaited.work;
    count(awaited.inferred);
    return true;
  }

  PathKind host_kind(EventId event) const {
    if (event == nobody) return PathKind::host_other;
    for (EventId e = event; e != Timeline::nobody; e = timeline_.parent(e)) {
      if (loads_data_[trace_.name_ids()[e]]) return PathKind::data_loading;
    }
    switch (classes_[event]) {
      case EventClass::op:
      case EventClass::phase:
        return PathKind::host_op;
      case EventClass::runtime:
        return index_->awaits_earlier(event) ? PathKind::device_wait : PathKind::host_call;
      default:
        return is_graph_[trace_.name_ids()[event]] ? PathKind::host_op : PathKind::host_other;
    }
  }

  PathKind work_kind(EventId work) const {
    switch (kinds_[work]) {
      case WorkKind::compute:
        return PathKind::compute;
      case WorkKind::communication:
        return PathKind::communication;
      case WorkKind::memory:
        return PathKind::copy;
      case WorkKind::wait:
        return PathKind::sync;
    }
    return PathKind::compute;
  }

  void through_work() {
    if (kinds_[work_] == WorkKind::wait && may_jump()) {
      const Awaited awaited = dependencies_.of_device_wait(work_, at_);
      if (awaited) {
        take(streams_.end(awaited.work), PathKind::sync, work_);
        work_ = awaited.work;
        return count(true);
      }
    }
    take(streams_.begin(work_), work_kind(work_), work_);
    if (at_ > out_.window.begin) before_work();
  }

  // Continues with whatever the work waited for before it began.
  void before_work() {
    const EventId late = work_;
    const EventId before = streams_.before(late);
    const EventId launch = streams_.begins_launch(late) ? links_.launch_of(late) : nobody;
    const Awaited other = may_jump() ? dependencies_.of_work(late) : Awaited{};
    const int64_t begin = streams_.begin(late);
    const auto ended = [&](EventId e) { return e == nobody ? INT64_MIN : streams_.end(e); };
    const bool blocks = launch != nobody && dependencies_.blocks(launch, late);
    const int64_t ready = launch == nobody ? INT64_MIN
                          : blocks         ? trace_.ts()[launch]
                                           : std::min(begin, end_of(trace_, launch));
    const int64_t stream = ended(before), elsewhere = ended(other.work);
    const int64_t end = std::max(stream, elsewhere);
    if (launch != nobody && ready > end) {
      if (!blocks) take(ready, PathKind::launch_delay, late);
      return to_thread(trace_.track_ids()[launch]);
    }
    if (before == nobody && !other) return start_of_stream(late);
    if (begin - end <= options_.short_gap_ns) {
      take(end, PathKind::kernel_delay, late);
    } else if (blocks) {
      through_call(trace_.track_ids()[launch], end);
    } else {
      take(end, PathKind::device_wait, late);
    }
    if (elsewhere > stream) count(other.inferred);
    work_ = elsewhere > stream ? other.work : before;
  }

  // Back to `end` on a thread that was in a blocking call from then on.
  void through_call(uint32_t track, int64_t end) {
    to_thread(track);
    while (at_ > std::max(end, out_.window.begin)) {
      const Threads::Innermost innermost = threads_.innermost(thread_, at_);
      take(std::max(end, innermost.since), host_kind(innermost.event), innermost.event);
    }
  }

  // Nothing in the file precedes it: the host must have launched it, if not before the recording.
  void start_of_stream(EventId late) {
    if (threads_.tracks().empty() || streams_.is_launched_before_all(late))
      return take(out_.window.begin, PathKind::device_wait, late);
    to_thread(home_);
    count(true);
  }

  void to_thread(uint32_t track) {
    thread_ = track;
    work_ = nobody;
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const PathOptions& options_;
  const Classes& classes_;
  const Timeline& timeline_;
  const Links& links_;
  const Streams streams_;
  const Threads threads_;
  const Dependencies dependencies_;
  const WorkKinds& kinds_;
  std::vector<bool> loads_data_;  // by name
  std::vector<bool> is_graph_;    // by name: calls of PyTorch's compiled graphs

  CriticalPath out_;
  int64_t at_ = 0;
  EventId work_ = nobody;  // nobody: on thread_
  uint32_t thread_ = 0, home_ = 0;
  int still_ = 0;
};

}  // namespace

std::string_view name_of(PathKind kind) {
  constexpr std::array<std::string_view, path_kinds> names{
      "host op",       "host call", "host outside ops", "data loading", "launch delay", "compute",
      "communication", "copy",      "kernel delay",     "device wait",  "sync"};
  return names[static_cast<size_t>(kind)];
}

std::string CriticalPath::bound_by() const {
  using enum PathKind;
  const std::pair<const char*, int64_t> groups[] = {
      {"host", total(host_op) + total(host_call) + total(host_other)},
      {"data loading", total(data_loading)},
      {"launches", total(launch_delay)},
      {"compute", total(compute)},
      {"communication", total(communication)},
      {"copies", total(copy)},
      {"gaps of the device", total(kernel_delay) + total(device_wait)},
      {"waits", total(sync)},
  };
  return std::ranges::max_element(groups, {}, [](const auto& g) { return g.second; })->first;
}

CriticalPath critical_path(const TraceIndex& index, const PathOptions& options) {
  return Walk(index, options).run();
}

}  // namespace vitro::analyze
