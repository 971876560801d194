// Builds the call tree of host threads, or of device work inside its launches; used by `vitro trace
// flame`.
#include "analyze/model/index.h"
#include "vitro/analyze/report.h"

#include <algorithm>
#include <iterator>

#include "analyze/model/classes.h"
#include "analyze/model/links.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/timeline.h"
#include "analyze/model/words.h"
#include "kineto/names.h"

namespace vitro::analyze {
namespace {

using report::FlameTree;

enum Kind : uint8_t { all, thread, op, range, python, runtime, other, kernel, communication, copy };
constexpr report::FlameKind kinds[] = {
    {.name = "all", .hue = 215, .saturation = 12, .in_legend = false},
    {.name = "thread", .hue = 215, .saturation = 12, .in_legend = false},
    {.name = "op", .hue = 28, .saturation = 85},
    {.name = "range", .hue = 205, .saturation = 70},
    {.name = "Python", .hue = 55, .saturation = 70},
    {.name = "runtime", .hue = 265, .saturation = 60},
    {.name = "other", .hue = 345, .saturation = 60},
    {.name = "kernel", .hue = 150, .saturation = 45},
    {.name = "communication", .hue = 0, .saturation = 70},
    {.name = "copy", .hue = 175, .saturation = 40},
};

// A step's name without its number.
constexpr std::string_view any_step = "ProfilerStep";
constexpr uint32_t step_number = UINT32_MAX;

class Builder {
 public:
  explicit Builder(const TraceIndex& index)
      : index_(index),
        trace_(index.trace()),
        classes_(index->classes()),
        timeline_(index->timeline()),
        places_(trace_.size()) {
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const TrackInfo& track = trace_.tracks()[t];
      out_.tracks.push_back(index->is_stream()[t] ? stream_name(track) : thread_name(track));
    }
  }

  Flames host() && {
    for (uint32_t t = 0; t < timeline_.tracks(); ++t) {
      std::vector<EventId> events;
      std::ranges::copy_if(timeline_.track(t), std::back_inserter(events),
                           [&](EventId e) { return is_host(e); });
      for (const EventId e : paced(events)) ++tree_[place(e)].calls;
      each_self(trace_, events, [&](EventId e, int64_t begin, int64_t end) {
        tree_[place(e)].self += end - begin;
      });
    }
    return std::move(*this).take();
  }

  Flames device() && {
    const Links& links = index_->links();
    for (const EventId e : trace_.events()) {
      if (!classes_.is_device_work(e)) continue;
      const EventId launch = links.launch_of(e);
      const uint32_t around = launch == Links::nobody ? top(e) : place(launch);
      report::FlameNode& node = tree_[tree_.child(around, name_of_work(e))];
      ++node.calls;
      node.self += std::max<int64_t>(trace_.dur()[e], 0);
    }
    return std::move(*this).take();
  }

 private:
  bool is_host(EventId event) const {
    switch (classes_[event]) {
      case EventClass::op:
      case EventClass::annotation:
      case EventClass::python:
      case EventClass::runtime:
      case EventClass::phase:
        return true;
      case EventClass::other:
      case EventClass::overhead:
        return !is_recording(event);
      case EventClass::kernel:
      case EventClass::copy:
      case EventClass::set:
      case EventClass::device_range:
      case EventClass::sync:
      case EventClass::instant:
      case EventClass::counter:
      case EventClass::flow:
      case EventClass::metadata:
      case EventClass::share:
        return false;
    }
    return false;
  }

  // Kineto's rows that say how long the recording took.
  bool is_recording(EventId event) const {
    const std::string& pid = trace_.tracks()[trace_.track_ids()[event]].pid;
    return pid == "Spans" || pid == "Traces";
  }

  FlameTree::Name name_of(EventId event) const {
    const std::string_view name = trace_.name(event);
    if (name.starts_with(kineto::step_prefix)) return {any_step, step_number, Kind::range};
    return {name, trace_.name_ids()[event], kind_of(event)};
  }

  FlameTree::Name name_of_work(EventId event) const {
    const std::string_view name = trace_.name(event);
    const bool computes = classes_[event] == EventClass::kernel;
    const Kind kind = !computes                ? Kind::copy
                      : is_communication(name) ? Kind::communication
                                               : Kind::kernel;
    return {name, trace_.name_ids()[event], kind};
  }

  Kind kind_of(EventId event) const {
    const EventClass which = classes_[event];
    return which == EventClass::op           ? Kind::op
           : which == EventClass::annotation ? Kind::range
           : which == EventClass::python     ? Kind::python
           : which == EventClass::runtime    ? Kind::runtime
                                             : Kind::other;
  }

  // The node of the event's thread or stream: those of one name are one.
  uint32_t top(EventId event) {
    const uint32_t track = trace_.track_ids()[event];
    const auto same = std::ranges::find(out_.tracks, out_.tracks[track]);
    const auto number = static_cast<uint32_t>(same - out_.tracks.begin());
    return tree_.child(FlameTree::root, {*same, number, Kind::thread});
  }

  // The node of an event of the host, made with all around it where it is not there yet.
  uint32_t place(EventId event) {
    std::vector<EventId> missing;
    for (; event != Timeline::nobody && places_[event] == 0; event = timeline_.parent(event))
      missing.push_back(event);
    if (missing.empty()) return places_[event];
    uint32_t node = event == Timeline::nobody ? top(missing.back()) : places_[event];
    for (; !missing.empty(); missing.pop_back())
      node = places_[missing.back()] = tree_.child(node, name_of(missing.back()));
    return node;
  }

  Flames take() && {
    out_.nodes = tree_.take();
    return std::move(out_);
  }

  const TraceIndex& index_;
  const Trace& trace_;
  const Classes& classes_;
  const Timeline& timeline_;
  FlameTree tree_;
  std::vector<uint32_t> places_;  // node of each event; 0: none yet
  Flames out_;
};

}  // namespace

Flames flames_of(const TraceIndex& index, FlamesOf what) {
  return what == FlamesOf::host ? Builder(index).host() : Builder(index).device();
}

void write_flame_graph(const Flames& flames, std::string_view title, report::Output& out) {
  std::vector<report::FlameKind> shown(std::begin(kinds), std::end(kinds));
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto is_this = [&](const report::FlameNode& node) { return node.kind == i; };
    shown[i].in_legend &= std::ranges::any_of(flames.nodes, is_this);
  }
  const auto text = [](int64_t ns) { return time_text(ns); };
  report::write_flame_graph(flames.nodes,
                            {.title = std::string(title), .kinds = shown, .amount = text}, out);
}

}  // namespace vitro::analyze
