// Writes a profile as Chrome trace JSON in PyTorch's schema; Profiler::write_trace() calls it for
// .json files.
#include "profiler/chrome_trace.h"

#include <unistd.h>

#include <array>
#include <random>

#include "kineto/names.h"
#include "profiler/event_args.h"
#include "profiler/flows.h"
#include "profiler/slice_details.h"
#include "vitro/base/cat.h"
#include "vitro/report/json.h"
#include "vitro/report/progress.h"

namespace vitro {
namespace {

// Times count from the last multiple of this, which is the same for all ranks of a job.  Kineto
// uses a quarter of a year; within half a year, microseconds read as a double and multiplied by
// 1000 still round to the intended nanosecond, so that no reader sees a slice end after its
// enclosing one.
constexpr int64_t base_step_ns = 7'889'238 / 2 * int64_t{1'000'000'000};
static_assert(base_step_ns / 1000 < int64_t{1} << 42);
constexpr int64_t spans_sort_index = 0x20000000;
constexpr std::pair<events::Detail, std::string_view> details_in_head[] = {
    {events::Detail::shapes, "record_shapes"},
    {events::Detail::stacks, "with_stack"},
    {events::Detail::modules, "with_modules"},
    {events::Detail::flops, "with_flops"}};
constexpr uint64_t events_between_looks = 1024;  // between reads of the clock, for progress

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string trace_id() {
  std::random_device random;
  constexpr char digits[] = "0123456789ABCDEF";
  std::string id;
  for (int i = 0; i < 32; ++i) id += digits[random() % 16];
  return id;
}

class Writer {
 public:
  Writer(const Profile& profile, const TraceOptions& options, report::Output& out)
      : profile_(profile),
        options_(options),
        json_(out, 2),
        details_(profile),
        base_(profile.begin / base_step_ns * base_step_ns),
        pid_(getpid()),
        progress_(cat("writing ", options.name), event_count(profile, options)) {}

  void write();

 private:
  void head();
  void metadata();
  void thread_name(const Track& track);
  void track(const Track& track);
  void slice(const Track& track, const Slice& slice);
  // Begins an instant on a thread, up to its arguments.
  report::Json& instant(const Track& track, std::string_view name, int64_t at);
  void memory(const Track& track, const MemoryChange& change);
  void incident(const Track& track, const Incident& incident);
  void counter(const CounterValue& counter);
  void flow(const Flow& flow);
  void spans();
  void tail();

  // The start of a slice's event: phase, category and name, rendered once per name.
  const std::string& slice_head(SliceKind kind, events::NameId name);

  // Begins an event, up to `ts`.  `tid` and `pid` are numbers or texts.
  report::Json& event(std::string_view phase, std::string_view category, std::string_view name,
                      const auto& pid, const auto& tid, int64_t at) {
    json_.begin_object().member("ph", phase);
    if (!category.empty()) json_.member("cat", category);
    json_.member("name", name)
        .member("pid", pid)
        .member("tid", tid)
        .key("ts")
        .thousandths(at - base_);
    return json_;
  }
  // A metadata event with one argument.
  void named(std::string_view name, const auto& pid, int64_t tid, std::string_view key,
             const auto& value) {
    event("M", {}, name, pid, tid, profile_.begin)
        .key("args")
        .begin_object()
        .member(key, value)
        .end()
        .end();
  }

  const Profile& profile_;
  const std::optional<Peaks> peaks_ = known_peaks();
  const TraceOptions& options_;
  report::Json json_;
  SliceDetails details_;
  int64_t base_;
  int64_t pid_;
  uint64_t index_ = 0;  // of the event, across threads
  std::string place_;   // pid and tid of the current track

  // Of recently used names, by number.
  struct Head {
    bool range = false;
    events::NameId name;
    std::string text;
  };
  std::array<Head, 4096> heads_;
  report::Progress progress_;
};

const std::string& Writer::slice_head(SliceKind kind, events::NameId name) {
  const bool range = kind == SliceKind::range;
  Head& head = heads_[(name.n * 2 + (range ? 1 : 0)) % heads_.size()];
  if (head.text.empty() || head.name != name || head.range != range) {
    report::TextOutput text;
    report::Json json(text);
    json.value(events::text(name));
    text.finish();
    head = {range, name,
            cat("\"ph\": \"X\",\"cat\": \"", category(kind), "\",\"name\": ", text.text())};
  }
  return head.text;
}

void Writer::head() {
  json_.begin_object().member("schemaVersion", 1).member("producer", "vitro");
  json_.key("deviceProperties").begin_array().end();
  json_.member("trace_id", trace_id());
  if (options_.profile_memory) json_.member("profile_memory", 1);
  for (const auto& [detail, key] : details_in_head) {
    if (profile_.options.details.have(detail)) json_.member(key, 1);
  }
  if (profile_.dropped != 0) json_.member("dropped_events", profile_.dropped);
  json_.member("host_name", host_name());
  for (const auto& [key, json] : options_.metadata) json_.key(key).raw(json);
  json_.member("displayTimeUnit", "ms").member("baseTimeNanoseconds", base_);
  json_.key("traceEvents").begin_array();
}

void Writer::metadata() {
  named("process_name", pid_, 0, "name", std::string_view(program_invocation_short_name));
  named("process_labels", pid_, 0, "labels", "CPU");
  named("process_sort_index", pid_, 0, "sort_index", pid_);
  for (const Track& track : profile_.tracks) thread_name(track);
}

void Writer::thread_name(const Track& track) {
  const std::string name = track.name.empty() ? "" : cat(" (", track.name, ")");
  named("thread_name", pid_, track.tid, "name", cat("thread ", track.tid, name));
  named("thread_sort_index", pid_, track.tid, "sort_index", track.tid);
}

void Writer::slice(const Track& track, const Slice& slice) {
  json_.begin_object().raw(slice_head(slice.kind, slice.name_id)).raw(place_);
  json_.key("ts").thousandths(slice.begin - base_);
  json_.key("dur").thousandths(slice.duration()).key("args").begin_object();
  details_.write(track, slice, json_);
  slice_args(slice, peaks_ ? &*peaks_ : nullptr, index_++, json_);
  json_.end().end();
}

report::Json& Writer::instant(const Track& track, std::string_view name, int64_t at) {
  event("i", kineto::category::instant, name, pid_, track.tid, at).member("s", "t");
  return json_.key("args").begin_object();
}

void Writer::memory(const Track& track, const MemoryChange& change) {
  instant(track, kineto::memory_event, change.at);
  details_.write(change, json_);
  memory_args(change, index_++, json_);
  json_.end().end();
}

void Writer::incident(const Track& track, const Incident& incident) {
  incident_args(incident, index_++, instant(track, incident.kind, incident.at));
  json_.end().end();
}

void Writer::counter(const CounterValue& counter) {
  event("C", {}, events::text(counter.name_id), pid_, 0, counter.at);
  json_.key("args").begin_object().member("value", counter.value).end().end();
}

void Writer::track(const Track& track) {
  place_ = cat("\"pid\": ", pid_, ",\"tid\": ", track.tid);
  for (const Slice& each : track.slices) {
    slice(track, each);
    if (index_ % events_between_looks == 0) progress_.at(index_);
  }
  if (options_.profile_memory) {
    for (const MemoryChange& each : track.memory) {
      memory(track, each);
      if (index_ % events_between_looks == 0) progress_.at(index_);
    }
  }
  for (const Incident& each : track.incidents) incident(track, each);
  for (const CounterValue& each : track.counters) counter(each);
}

// Both ends, or neither.  The arrow binds to the slices open at its ends.
void Writer::flow(const Flow& flow) {
  const std::string_view name = arrow_name(flow.kind);
  const auto end = [&](std::string_view phase, const Flow::End& at) -> report::Json& {
    const int64_t tid = profile_.tracks[at.track].tid;
    return event(phase, name, name, pid_, tid, slice_at(profile_, at).begin).member("id", flow.id);
  };
  end("s", flow.from).end();
  end("f", flow.to).member("bp", "e").end();
}

// The rows added by Kineto: the recording itself and its two ends.
void Writer::spans() {
  event("X", "Trace", "PyTorch Profiler (0)", "Spans", "PyTorch Profiler", profile_.begin);
  json_.key("dur").thousandths(profile_.end - profile_.begin);
  json_.key("args").begin_object().member("Op count", 0).end().end();
  named("process_sort_index", "Spans", 0, "sort_index", spans_sort_index);
  event("i", {}, "Iteration Start: PyTorch Profiler", "Traces", "Trace PyTorch Profiler",
        profile_.begin);
  json_.member("s", "g").end();
  event("i", {}, "Record Window End", "", "", profile_.end).member("s", "g").end();
}

void Writer::tail() {
  json_.end().member("traceName", options_.name).end();
}

void Writer::write() {
  head();
  metadata();
  for (const Track& each : profile_.tracks) track(each);
  for (const Flow& each : profile_.flows) {
    if (goes_forward(profile_, each)) flow(each);
  }
  spans();
  tail();
}

}  // namespace

uint64_t event_count(const Profile& profile, const TraceOptions& options) {
  uint64_t count = 0;
  for (const Track& track : profile.tracks) {
    count += track.slices.size() + track.incidents.size();
    if (options.profile_memory) count += track.memory.size();
  }
  return count;
}

void write_chrome_trace(const Profile& profile, const TraceOptions& options, report::Output& out) {
  Writer(profile, options, out).write();
}

}  // namespace vitro
