// Writes a profile as a Perfetto trace; Profiler::write_trace() calls it for .pftrace files.
#include "profiler/perfetto_trace.h"

#include <unistd.h>

#include <cerrno>
#include <map>

#include "kineto/names.h"
#include "profiler/event_args.h"
#include "profiler/flows.h"
#include "profiler/perfetto_packets.h"
#include "profiler/slice_details.h"
#include "vitro/base/cat.h"
#include "vitro/base/hash.h"
#include "vitro/report/progress.h"

namespace vitro {
namespace {

using perfetto::Annotations;
using perfetto::EventType;
using perfetto::Sequence;
using report::Protobuf;

enum class Row : uint8_t { process, thread, counter, memory };
constexpr uint64_t events_between_looks = 1024;  // between reads of the clock, for progress

class Writer {
 public:
  Writer(const Profile& profile, const TraceOptions& options, report::Output& out)
      : profile_(profile),
        options_(options),
        out_(out),
        details_(profile),
        process_{row(Row::process, 0), getpid(), program_invocation_short_name},
        flows_(profile),
        progress_(cat("writing ", options.name), event_count(profile, options)) {}

  void write();

 private:
  // Row numbers differ between processes, so that traces can be concatenated.
  uint64_t row(Row kind, int64_t number) const {
    Hasher hasher;
    hasher.add(profile_.begin);
    hasher.add(static_cast<int64_t>(getpid()));
    hasher.add(kind);
    hasher.add(number);
    return hasher.finish().low | 1;
  }

  void rows();
  void about();
  void track(uint32_t number);
  void slices(uint32_t number, Sequence& events);
  void memory(const Track& track, Sequence& events);
  uint64_t next_index();

  const Profile& profile_;
  const std::optional<Peaks> peaks_ = known_peaks();
  const TraceOptions& options_;
  report::Output& out_;
  SliceDetails details_;
  perfetto::Process process_;
  FlowsOfSlices flows_;
  report::Progress progress_;
  uint32_t sequences_ = 1;
  uint64_t index_ = 0;  // of the event, across threads
};

uint64_t Writer::next_index() {
  if (index_ % events_between_looks == 0) progress_.at(index_);
  return index_++;
}

void Writer::rows() {
  perfetto::write_process(out_, process_);
  std::map<events::NameId, bool> counters;
  bool any_memory = false;
  for (const Track& track : profile_.tracks) {
    perfetto::write_thread(out_, process_, row(Row::thread, track.tid), track.tid, track.name);
    for (const CounterValue& counter : track.counters) counters[counter.name_id] = true;
    any_memory |= !track.memory.empty();
  }
  for (const auto& [name, used] : counters)
    perfetto::write_counter(out_, process_, row(Row::counter, name.n), events::text(name), false);
  if (any_memory && options_.profile_memory)
    perfetto::write_counter(out_, process_, row(Row::memory, 0), "memory", true);
}

// The contents of a Chrome trace's head.
void Writer::about() {
  Sequence events(out_, ++sequences_, process_.track);
  events.write({EventType::instant, profile_.begin, "Profile"}, [&](Protobuf&, Annotations& args) {
    args.member("traceName", options_.name);
    args.member("dropped_events", profile_.dropped);
    for (const auto& [key, json] : options_.metadata) args.key(key).raw(json);
  });
}

void Writer::slices(uint32_t number, Sequence& events) {
  const Track& track = profile_.tracks[number];
  std::vector<uint32_t> open;
  const auto end_until = [&](uint32_t around) {
    while (!open.empty() && open.back() != around) {
      events.write({EventType::slice_end, track.slices[open.back()].end});
      open.pop_back();
    }
  };
  for (uint32_t i = 0; i < track.slices.size(); ++i) {
    const Slice& slice = track.slices[i];
    end_until(slice.parent);
    open.push_back(i);
    events.write({EventType::slice_begin, slice.begin, slice.name(), category(slice.kind)},
                 [&](Protobuf& event, Annotations& args) {
                   flows_.at(number, i,
                             [&](uint64_t id) { perfetto::add_flow(event, process_.track + id); });
                   details_.write(track, slice, args);
                   slice_args(slice, peaks_ ? &*peaks_ : nullptr, next_index(), args);
                 });
  }
  end_until(Slice::none);
}

void Writer::memory(const Track& track, Sequence& events) {
  const uint64_t counter = row(Row::memory, 0);
  for (const MemoryChange& change : track.memory) {
    events.write({EventType::instant, change.at, kineto::memory_event, kineto::category::instant},
                 [&](Protobuf&, Annotations& args) {
                   details_.write(change, args);
                   memory_args(change, next_index(), args);
                 });
    events.write({.type = EventType::counter, .at = change.at, .track = counter},
                 [&](Protobuf& event, Annotations&) {
                   perfetto::add_counter_value(event, static_cast<double>(change.live_bytes));
                 });
  }
}

void Writer::track(uint32_t number) {
  const Track& track = profile_.tracks[number];
  Sequence events(out_, ++sequences_, row(Row::thread, track.tid));
  slices(number, events);
  if (options_.profile_memory) memory(track, events);
  for (const Incident& incident : track.incidents) {
    events.write(
        {EventType::instant, incident.at, incident.kind, kineto::category::instant},
        [&](Protobuf&, Annotations& args) { incident_args(incident, next_index(), args); });
  }
  for (const CounterValue& counter : track.counters) {
    const uint64_t counter_row = row(Row::counter, counter.name_id.n);
    events.write(
        {.type = EventType::counter, .at = counter.at, .track = counter_row},
        [&](Protobuf& event, Annotations&) { perfetto::add_counter_value(event, counter.value); });
  }
}

void Writer::write() {
  perfetto::write_clocks(out_);
  rows();
  about();
  for (uint32_t i = 0; i < profile_.tracks.size(); ++i) track(i);
}

}  // namespace

void write_perfetto_trace(const Profile& profile, const TraceOptions& options,
                          report::Output& out) {
  Writer(profile, options, out).write();
}

}  // namespace vitro
