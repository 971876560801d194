// Sums what each thread and stream was doing in each column of a picture; overview.cpp draws it.
#include "activity.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "analyze/model/classes.h"
#include "analyze/model/device_work.h"
#include "analyze/model/index.h"
#include "analyze/model/self_spans.h"
#include "analyze/model/timeline.h"
#include "base/sort_list.h"
#include "kineto/names.h"

namespace vitro::analyze {
namespace {

Doing of_work(WorkKind kind) {
  switch (kind) {
    case WorkKind::compute:
      return Doing::kernels;
    case WorkKind::communication:
      return Doing::communication;
    case WorkKind::memory:
      return Doing::copies;
    case WorkKind::wait:
      return Doing::nothing;
  }
  return Doing::nothing;
}

// Kineto's rows about the recording itself.
bool is_marker(const TrackInfo& track) {
  return track.pid == "Spans" || track.pid == "Traces";
}

// A stretch of time divided into columns of equal length.
class Painter {
 public:
  Painter(const Window& window, size_t columns)
      : begin_(window.begin), per_column_(window.length() / static_cast<int64_t>(columns) + 1) {
    out_.columns.resize(columns);
  }

  void paint(Doing doing, int64_t from, int64_t to) {
    out_.times[static_cast<size_t>(doing)] += to - from;
    while (from < to) {
      const auto column = static_cast<size_t>((from - begin_) / per_column_);
      const int64_t end = std::min(to, begin_ + static_cast<int64_t>(column + 1) * per_column_);
      out_.columns[column][static_cast<size_t>(doing)] += end - from;
      from = end;
    }
  }

  TrackActivity take(uint32_t track) {
    out_.track = track;
    return std::move(out_);
  }

 private:
  const int64_t begin_, per_column_;
  TrackActivity out_;
};

Window window_of(const Trace& trace, const Doings& doings) {
  Window window{INT64_MAX, INT64_MIN};
  for (const EventId e : trace.events()) {
    if (doings[e] == Doing::nothing || trace.dur()[e] == none) continue;
    window.begin = std::min(window.begin, trace.ts()[e]);
    window.end = std::max(window.end, trace.ts()[e] + std::max<int64_t>(trace.dur()[e], 0));
  }
  return window.begin > window.end ? Window{} : window;
}

}  // namespace

Doings::Doings(const TraceIndex& index) : trace_(index.trace()), classes_(index->classes()) {
  for (const std::string& name : trace_.names()) {
    work_.push_back(work_kind(EventClass::kernel, name));
    step_.push_back(name.starts_with(kineto::step_prefix));
  }
}

// Events that only span other work have no activity: steps, the device's side of ranges, waits.
Doing Doings::operator[](EventId event) const {
  switch (classes_[event]) {
    case EventClass::kernel:
      return of_work(work_[trace_.name_ids()[event]]);
    case EventClass::copy:
    case EventClass::set:
      return Doing::copies;
    case EventClass::op:
      return Doing::ops;
    case EventClass::runtime:
      return Doing::runtime;
    case EventClass::annotation:
      return step_[trace_.name_ids()[event]] ? Doing::nothing : Doing::ranges;
    case EventClass::python:
      return Doing::python;
    case EventClass::other:
    case EventClass::phase:
    case EventClass::overhead:
      return is_marker(trace_.tracks()[trace_.track_ids()[event]]) ? Doing::nothing : Doing::other;
    case EventClass::device_range:
    case EventClass::sync:
    case EventClass::instant:
    case EventClass::counter:
    case EventClass::flow:
    case EventClass::metadata:
    case EventClass::share:
      return Doing::nothing;
  }
  return Doing::nothing;
}

std::string_view name_of(Doing doing) {
  constexpr std::string_view names[] = {
      "kernels",      "ops",   "communication", "copies and fills",
      "named ranges", "other", "runtime calls", "Python functions"};
  return names[static_cast<size_t>(doing)];
}

int64_t TrackActivity::busy() const {
  return std::accumulate(times.begin(), times.end(), int64_t{0});
}

Activity activity_of(const TraceIndex& index, size_t columns) {
  const Trace& trace = index.trace();
  const Doings doings(index);
  Activity out{window_of(trace, doings), {}};
  if (out.window.length() == 0) return out;
  const Timeline& timeline = index->timeline();
  for (uint32_t t = 0; t < timeline.tracks(); ++t) {
    std::vector<EventId> events;
    std::ranges::copy_if(timeline.track(t), std::back_inserter(events),
                         [&](EventId e) { return doings[e] != Doing::nothing; });
    Painter painter(out.window, columns);
    each_self(trace, events,
              [&](EventId e, int64_t begin, int64_t end) { painter.paint(doings[e], begin, end); });
    TrackActivity track = painter.take(t);
    if (track.busy() > 0) out.tracks.push_back(std::move(track));
  }
  sort_list(out.tracks, {},
            [&](const TrackActivity& track) { return trace.tracks()[track.track].sort_index; });
  return out;
}

}  // namespace vitro::analyze
