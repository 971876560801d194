// Adds separately recorded device work to the trace of its host, with arrows from the launches;
// used by `vitro trace merge HOST DEVICES`.
#include "vitro/analyze/merge.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "analyze/merge/clocks.h"
#include "analyze/model/device_work.h"
#include "analyze/model/timeline.h"
#include "analyze/store/rewrite.h"
#include "analyze/store/written_event.h"
#include "kineto/names.h"
#include "vitro/base/cat.h"
#include "vitro/report/output.h"

namespace vitro::analyze {
namespace {

using TrackKey = std::pair<std::string, std::string>;  // pid, tid

TrackKey track_key_of(const Trace& trace, EventId e) {
  const TrackInfo& track = trace.tracks()[trace.track_ids()[e]];
  return {track.pid, track.tid};
}

// Copies events of the devices' trace into that of the host.
class Chosen {
 public:
  Chosen(const Trace& host, const Trace& devices, MergedTraces& merged)
      : host_(host), devices_(devices), classes_(devices), merged_(merged) {
    const Classes host_classes(host);
    for (const EventId e : host.events()) {
      if (host_classes[e] != EventClass::runtime) continue;
      has_calls_ = true;
      if (host.links()[e] != none) calls_.insert(host.links()[e]);
    }
    for (const EventId e : devices.events())
      if (classes_.is_device_work(e)) pids_.insert(track_key_of(devices, e).first);
    for (const EventId e : host.events())
      if (host.phases()[e] == 'M') named_.emplace(host.name(e), track_key_of(host, e));
  }

  bool has_work() const { return !pids_.empty(); }

  std::vector<EventId> take() {
    std::vector<EventId> out;
    for (const EventId e : devices_.events()) {
      if (uint64_t* count = counted_as(e)) {
        ++*count;
        out.push_back(e);
      }
    }
    return out;
  }

 private:
  // Which counter an event adds to; nothing: it is left out.
  uint64_t* counted_as(EventId e) const {
    if (classes_.is_device_work(e)) return &merged_.work;
    const EventClass which = classes_[e];
    const bool of_device = pids_.contains(track_key_of(devices_, e).first);
    if (which == EventClass::runtime && lacks_call(e)) return &merged_.calls;
    if (which == EventClass::device_range || which == EventClass::sync ||
        (which == EventClass::counter && of_device))
      return &merged_.others;
    const bool names = devices_.phases()[e] == 'M' && of_device &&
                       !named_.contains({std::string(devices_.name(e)), track_key_of(devices_, e)});
    return names ? &merged_.others : nullptr;
  }

  bool lacks_call(EventId e) const {
    return devices_.links()[e] == none ? !has_calls_ : !calls_.contains(devices_.links()[e]);
  }

  const Trace &host_, &devices_;
  Classes classes_;
  MergedTraces& merged_;
  bool has_calls_ = false;
  std::unordered_set<int64_t> calls_;                 // correlations of the host's calls
  std::set<std::string, std::less<>> pids_;           // of devices
  std::set<std::pair<std::string, TrackKey>> named_;  // rows named in the host's trace
};

// A stream that has work in both traces.
std::string stream_of_both(const Trace& host, const Trace& devices) {
  std::set<TrackKey> streams;
  const Classes of_host(host), of_devices(devices);
  for (const EventId e : host.events())
    if (of_host.is_device_work(e)) streams.insert(track_key_of(host, e));
  if (streams.empty()) return {};
  for (const EventId e : devices.events()) {
    if (!of_devices.is_device_work(e)) continue;
    const TrackKey key = track_key_of(devices, e);
    if (streams.contains(key)) return cat("pid ", key.first, ", tid ", key.second);
  }
  return {};
}

class Writer {
 public:
  Writer(const Trace& host, const Trace& devices, int64_t offset, report::Output& out)
      : devices_(devices),
        shift_(devices.base() + offset - host.base()),
        out_(out),
        number_(last_arrow(host)) {
    for (const EventId e : host.events()) {
      const char phase = host.phases()[e];
      if ((phase != 's' && phase != 'f') || host.links()[e] == none) continue;
      if (host.category(e) == arrow_name) (phase == 's' ? begun_ : ended_).insert(host.links()[e]);
    }
  }

  // False if it is not valid JSON.
  bool event(EventId e, std::string_view text) {
    const auto later = rewritten(text, [&](std::string_view key, std::string_view, bool in_args) {
      if (in_args || key != "ts" || devices_.phases()[e] == 'M')
        return std::optional<std::string>();
      return std::optional(microseconds(devices_.ts()[e] + shift_));
    });
    if (later) out_.write(cat(*later, ",\n"));
    return later.has_value();
  }

  // An arrow from the launch, whose begin is by the host's clock, to the work.
  void arrow(const TrackInfo& from, int64_t at, int64_t correlation, EventId work) {
    const bool begun = begun_.contains(correlation) && ended_.insert(correlation).second;
    const int64_t number = begun ? correlation : ++number_;
    if (!begun) write(out_, {'s', arrow_name, number, from, at});
    const TrackInfo& to = devices_.tracks()[devices_.track_ids()[work]];
    write(out_, {'f', arrow_name, number, to, devices_.ts()[work] + shift_});
  }

  int64_t shift() const { return shift_; }

 private:
  static constexpr std::string_view arrow_name = kineto::arrow::device;

  const Trace& devices_;
  int64_t shift_;  // from times of the devices' trace to times of the host's
  report::Output& out_;
  int64_t number_;                             // of the last arrow
  std::unordered_set<int64_t> begun_, ended_;  // arrows of the host's trace
};

// Arrows to work whose call is in the devices' own trace.
void add_own_arrows(const Trace& devices, const std::vector<EventId>& events,
                    const std::vector<bool>& linked, Writer& writer, MergedTraces& merged) {
  const Classes classes(devices);
  std::unordered_map<int64_t, EventId> calls;
  for (const EventId e : events)
    if (classes[e] == EventClass::runtime && devices.links()[e] != none)
      calls.emplace(devices.links()[e], e);
  for (const EventId e : events) {
    if (!classes.is_device_work(e) || linked[e]) continue;
    const auto call = calls.find(devices.links()[e]);
    if (call == calls.end()) continue;
    ++merged.linked;
    writer.arrow(devices.tracks()[devices.track_ids()[call->second]],
                 devices.ts()[call->second] + writer.shift(), none, e);
  }
}

}  // namespace

Result<MergedTraces> merge_traces(const Trace& host, const Trace& devices, const std::string& out,
                                  const MergeTracesOptions& options) {
  MergedTraces merged;
  Chosen chosen(host, devices, merged);
  if (!chosen.has_work())
    return Failure{"merge: the second trace has no device work (kernels, copies, fills)"};
  if (const std::string stream = stream_of_both(host, devices); !stream.empty())
    return Failure{
        cat("merge: both traces have device work on ", stream,
            "; needs the trace of the host and one of the devices, recorded separately")};
  std::vector<Launched> pairs = launched_by_correlation(host, devices);
  if (pairs.empty()) pairs = launched_by_id(host, devices);
  const auto clock = clock_of(host, devices, pairs, options);
  if (!clock) return clock.failure();
  merged.clock_by = clock->by;
  merged.clock_offset = clock->offset;
  merged.clock_room = clock->room;
  merged.linked = pairs.size();
  const std::vector<EventId> events = chosen.take();
  const auto file = report::create_file(out);
  Result<Done> read = Done{};
  const auto copied = host.copy_with(*file, [&](report::Output& into) {
    Writer writer(host, devices, clock->offset, into);
    read = devices.read_events(
        events, [&](EventId e, std::string_view text) { merged.broken += !writer.event(e, text); });
    std::vector<bool> linked(devices.size());
    for (const Launched& each : pairs) {
      linked[each.work] = true;
      writer.arrow(host.tracks()[host.track_ids()[each.launch]], host.ts()[each.launch],
                   host.links()[each.launch], each.work);
    }
    add_own_arrows(devices, events, linked, writer, merged);
  });
  if (!read) return read.failure();
  if (!copied) return copied.failure();
  file->finish();
  return merged;
}

Answer answer_merged(const MergedTraces& merged) {
  AnswerTable table{"merged",
                    "Device work added to the trace of the host",
                    {{"work", "Work", Unit::count},
                     {"linked", "Launch known", Unit::count},
                     {"calls", "Calls", Unit::count},
                     {"others", "Other events", Unit::count},
                     {"broken", "Left out", Unit::count},
                     {"clock_by", "Clock by"},
                     {"clock_offset_ns", "Added to times", Unit::ns},
                     {"clock_room_ns", "Could be more by", Unit::ns}},
                    {}};
  table.rows.push_back({static_cast<int64_t>(merged.work), static_cast<int64_t>(merged.linked),
                        static_cast<int64_t>(merged.calls), static_cast<int64_t>(merged.others),
                        static_cast<int64_t>(merged.broken), merged.clock_by, merged.clock_offset,
                        merged.clock_room ? AnswerCell(*merged.clock_room) : AnswerCell()});
  table.is_record = true;
  return {"merge", {std::move(table)}, {}};
}

}  // namespace vitro::analyze
