// Resolves what a call or kernel waited for, from synchronisation records or from times; one of
// the three inputs of the walk in critical_path.cpp.
#include "analyze/questions/critical_path/dependencies.h"

#include <algorithm>

#include "analyze/model/arguments.h"
#include "analyze/model/index.h"
#include "analyze/model/waits.h"
#include "analyze/model/words.h"
#include "vitro/base/cat.h"
#include "vitro/base/lower_case.h"

namespace vitro::analyze::critical {
namespace {

// The tolerated difference between host and device clocks.
constexpr int64_t clock_slack = 10'000;

// Copies on the default stream, which waits for the others.
bool waits_for_all(std::string_view name) {
  return call_wait(name) == WaitKind::device && name.find("Memcpy") != std::string_view::npos &&
         name.find("Stream") == std::string_view::npos;
}

}  // namespace

// CUDA, HIP, Level Zero and SYCL, MTIA.
Dependencies::SyncCall Dependencies::call_of(std::string_view name) {
  const std::string text = lower_case(name);
  if (holds(text, {"streamwaitevent"})) return SyncCall::stream_wait;
  if (holds(text, {"eventsynchronize", "eventhostsynchronize", "eventwait"}))
    return SyncCall::event;
  if (holds(text, {"streamsynchronize", "synchronizestream", "queuesynchronize", "queuefinish"}))
    return SyncCall::stream;
  if (holds(text, {"devicesynchronize", "ctxsynchronize"}) || text == "synchronize")
    return SyncCall::device;
  return holds(text, {"memcpy"}) ? SyncCall::copy : SyncCall::other;
}

Dependencies::Dependencies(const TraceIndex& index, const Streams& streams)
    : trace_(index.trace()), links_(index->links()), streams_(streams) {
  const Classes& classes = index->classes();
  for (const std::string& name : trace_.names()) {
    calls_.push_back(call_of(name));
    waits_for_all_.push_back(waits_for_all(name));
  }
  for (const EventId e : trace_.events()) {
    if (trace_.phases()[e] == 'X' && classes[e] == EventClass::runtime &&
        calls_[trace_.name_ids()[e]] == SyncCall::stream_wait)
      wait_calls_[trace_.track_ids()[e]].push_back(trace_.ts()[e]);
  }
  for (auto& [thread, list] : wait_calls_) std::ranges::sort(list);
  read_records(classes);
}

void Dependencies::read_records(const Classes& classes) {
  std::vector<EventId> events;
  for (const EventId e : trace_.events()) {
    if (trace_.phases()[e] == 'X' && classes[e] == EventClass::sync) events.push_back(e);
  }
  if (events.empty()) return;
  // If the file cannot be read again (standard input), dependencies are inferred from times.
  const auto read =
      trace_.read_events(events, [&](EventId e, std::string_view text) { add_record(e, text); });
  if (!read) records_ = 0;
  for (auto& [stream, list] : waits_of_stream_) std::ranges::sort(list, {}, &StreamWait::at);
}

void Dependencies::add_record(EventId record, std::string_view text) {
  const std::string kind = lower_case(trace_.name(record));
  const EventId call = links_.launch_of(record);
  if (call == Links::nobody || !(kind.ends_with(" sync") || kind == "stream wait event")) return;
  const Arguments arguments(text);
  const int64_t device = arguments.number("device").value_or(0);
  const int64_t stream = arguments.number("stream").value_or(-1);
  ++records_;
  Record out;
  out.call = calls_[trace_.name_ids()[call]];
  if (kind == "stream sync") {
    out.stream = track_of(device, stream);
    out.known = true;
  } else if (kind == "context sync") {
    out.known = true;
  } else {
    const EventId recorded =
        links_.call_with(arguments.number("wait_on_cuda_event_record_corr_id").value_or(-1));
    out.stream = track_of(device, arguments.number("wait_on_stream").value_or(-1));
    out.known = recorded != Links::nobody && out.stream != UINT32_MAX;
    if (out.known) out.recorded = trace_.ts()[recorded];
  }
  by_correlation_[trace_.links()[record]] = out;
  const uint32_t waiting = track_of(device, stream);
  if (kind == "stream wait event" && out.known && waiting != UINT32_MAX)
    waits_of_stream_[waiting].push_back({trace_.ts()[call], out.stream, out.recorded});
}

uint32_t Dependencies::track_of(int64_t device, int64_t stream) const {
  const std::string pid = cat(device), tid = cat(stream);
  for (const uint32_t track : streams_.tracks()) {
    if (trace_.tracks()[track].pid == pid && trace_.tracks()[track].tid == tid) return track;
  }
  return UINT32_MAX;
}

EventId Dependencies::last_of_all(int64_t at, int64_t launched_before) const {
  EventId last = Streams::nobody;
  for (const uint32_t track : streams_.tracks()) {
    const EventId e = streams_.last_ended(track, at, launched_before);
    if (e != Streams::nobody && (last == Streams::nobody || streams_.end(e) > streams_.end(last)))
      last = e;
  }
  return last;
}

EventId Dependencies::among(const Record& record, int64_t at, int64_t launched_before) const {
  const int64_t before = std::min(record.recorded, launched_before);
  if (!record.known) return last_of_all(at, launched_before);
  if (record.stream != UINT32_MAX) return streams_.last_ended(record.stream, at, before);
  return record.call == SyncCall::stream ? Streams::nobody : last_of_all(at, before);
}

Awaited Dependencies::of_call(EventId call, int64_t at) const {
  const SyncCall kind = calls_[trace_.name_ids()[call]];
  const int64_t begin = trace_.ts()[call];
  if (kind == SyncCall::copy) {
    for (const auto& [correlation, work] : links_.work_of(call)) {
      if (streams_.begin(work) < at && streams_.end(work) <= at + clock_slack) return {work, false};
    }
  }
  if (kind != SyncCall::device && kind != SyncCall::stream && kind != SyncCall::event) return {};
  const auto found = by_correlation_.find(trace_.links()[call]);
  const Record record = found != by_correlation_.end() ? found->second : Record{.call = kind};
  EventId work = among(record, at + clock_slack, begin);
  if (work != Streams::nobody && streams_.begin(work) >= at) work = among(record, at, begin);
  if (work == Streams::nobody || streams_.end(work) <= begin) return {};
  return {work, kind != SyncCall::device && !record.known};
}

bool Dependencies::blocks(EventId call, EventId work) const {
  return calls_[trace_.name_ids()[call]] == SyncCall::copy &&
         streams_.end(work) <= end_of(trace_, call);
}

Awaited Dependencies::of_copy(EventId call, EventId work) const {
  const uint32_t stream = trace_.track_ids()[work];
  const int64_t from = trace_.ts()[call];
  Awaited out;
  for (const uint32_t source : streams_.tracks()) {
    if (source == stream || !streams_.same_device(source, stream)) continue;
    const EventId e = streams_.last_ended(source, streams_.begin(work), from);
    if (e == Streams::nobody || streams_.end(e) <= from) continue;
    if (!out || streams_.end(e) > streams_.end(out.work)) out = {e, true};
  }
  return out;
}

Awaited Dependencies::of_work(EventId work) const {
  const EventId launch = links_.launch_of(work);
  if (launch != Links::nobody && waits_for_all_[trace_.name_ids()[launch]] && blocks(launch, work))
    return of_copy(launch, work);
  const uint32_t stream = trace_.track_ids()[work];
  const EventId before = streams_.before(work);
  const int64_t begin = streams_.begin(work), launched = streams_.launched(work);
  const int64_t from = before == Streams::nobody ? INT64_MIN : streams_.launched(before);
  EventId last = Streams::nobody;
  const auto consider = [&](uint32_t source, int64_t recorded) {
    const EventId e = streams_.last_ended(source, begin, recorded);
    if (e != Streams::nobody && (last == Streams::nobody || streams_.end(e) > streams_.end(last)))
      last = e;
  };
  if (records_ > 0) {
    const auto list = waits_of_stream_.find(stream);
    if (list == waits_of_stream_.end()) return {};
    auto wait = std::ranges::lower_bound(list->second, from, {}, &StreamWait::at);
    for (; wait != list->second.end() && wait->at < launched; ++wait)
      consider(wait->source, wait->recorded);
    return {last, false};
  }
  const auto calls =
      wait_calls_.find(launch == Links::nobody ? UINT32_MAX : trace_.track_ids()[launch]);
  if (calls == wait_calls_.end()) return {};
  const auto next = std::ranges::lower_bound(calls->second, launched);
  if (next == calls->second.begin() || *std::prev(next) < from) return {};
  for (const uint32_t source : streams_.tracks()) {
    if (source != stream && streams_.same_device(source, stream))
      consider(source, *std::prev(next));
  }
  return {last, true};
}

Awaited Dependencies::of_device_wait(EventId work, int64_t at) const {
  const uint32_t stream = trace_.track_ids()[work];
  Awaited out;
  for (const uint32_t source : streams_.tracks()) {
    if (source == stream) continue;
    const EventId e = streams_.last_ended(source, at, INT64_MAX);
    if (e == Streams::nobody || streams_.end(e) <= streams_.begin(work)) continue;
    if (!out || streams_.end(e) > streams_.end(out.work)) out = {e, true};
  }
  return out;
}

}  // namespace vitro::analyze::critical
