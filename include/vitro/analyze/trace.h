// A trace of any size, written by PyTorch's profiler (Kineto), Vitro or another writer of Chrome's
// format, as columns.
//   Result<Trace> trace = Trace::open("trace.json.gz");
//   for (const EventId e : trace->events())
//     if (trace->category(e) == "kernel") total += trace->dur()[e];
// Columns live in mapped files, so a trace of many gigabytes takes little memory; they are kept in
// the user's cache folder and reused the next time.  Threads: a Trace may be read by any number of
// threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/resident.h"
#include "vitro/base/result.h"

namespace vitro::report {
class Output;
}

namespace vitro::analyze {

// Stands for a missing number of an event.
inline constexpr int64_t none = INT64_MIN;

// Something in the file that had to be repaired or dropped.
struct Note {
  uint64_t offset = 0;  // in the unpacked file
  std::string text;
};

// A row of the timeline: a thread of a process, a stream of a device.
struct TrackInfo {
  std::string pid, tid;                 // as written, texts without quotes
  std::string process, thread, labels;  // names given by the file, else empty
  int64_t sort_index = 0;               // of the process
};

struct LoadOptions {
  bool keep = true;      // keep columns in the cache folder; else remove those kept there
  int threads = 0;       // reading threads; 0: as many as the process may run on
  bool progress = true;  // show progress on a terminal if it takes over a second
};

class Trace {
 public:
  // Reads a trace, packed or not (.json, .gz, .zst, .zip; "-": standard input).  A truncated file
  // gives its complete events and a note.  Fails if the file cannot be opened, holds no list of
  // events (the error gives the position), or if there is no memory for what cannot be written.
  static Result<Trace> open(const std::string& path, const LoadOptions& options = {});

  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

  size_t size() const { return phases_.size(); }
  // For loops over all events.
  Paced<std::ranges::iota_view<EventId, EventId>> events() const {
    return Paced(std::views::iota(EventId{0}, static_cast<EventId>(size())));
  }
  // Nanoseconds from base().
  std::span<const int64_t> ts() const { return ts_; }
  // Nanoseconds; `none` for events without a duration.
  std::span<const int64_t> dur() const { return dur_; }
  // Numbers of the texts returned by name(), category().
  std::span<const uint32_t> name_ids() const { return name_ids_; }
  std::span<const uint16_t> category_ids() const { return category_ids_; }
  // Index in tracks().
  std::span<const uint32_t> track_ids() const { return track_ids_; }
  // X, i, C, M, s, f, ...
  std::span<const char> phases() const { return phases_; }
  // Links a launch to its kernel (`correlation`), or the two ends of a flow (its id); or `none`.
  std::span<const int64_t> links() const { return links_; }
  // `External id`, which links a launch to its op; or `none`.
  std::span<const int64_t> external_ids() const { return external_ids_; }

  std::string_view name(EventId event) const;
  std::string_view category(EventId event) const;
  const std::vector<std::string>& names() const;
  const std::vector<std::string>& categories() const;
  const std::vector<TrackInfo>& tracks() const;

  // The origin of times in nanoseconds since the Unix epoch; 0 if the file gives none.
  int64_t base() const;
  // Members of the file other than the events, as JSON text.
  const std::map<std::string, std::string>& metadata() const;
  // What was lost or repaired while reading, by position.
  const std::vector<Note>& notes() const;
  uint64_t file_bytes() const;
  uint64_t unpacked_bytes() const;
  // Whether the columns were already cached.
  bool from_cache() const;
  // Why columns could not be kept in the cache folder, such as a full disk, in which case they are
  // in memory; empty if they are kept, or need not be.
  const std::string& not_kept() const;

  // Calls use(event, json) for each of these events, in ascending order, with the full text of the
  // event in the file.  Reads the file once, from the beginning.  Fails if it is gone or has
  // changed.
  Result<Done> read_events(std::span<const EventId> events,
                           const std::function<void(EventId, std::string_view)>& use) const;

  // Writes the file, unpacked, with the output of `more` before its first event: further events,
  // each followed by a comma.  Fails if the file is gone or has changed, or has no events.
  Result<Done> copy_with(report::Output& out,
                         const std::function<void(report::Output&)>& more) const;

 private:
  struct Impl;
  explicit Trace(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  // Copied from its columns, because callers ask for each event.
  std::span<const int64_t> ts_, dur_, links_, external_ids_;
  std::span<const uint32_t> name_ids_, track_ids_;
  std::span<const uint16_t> category_ids_;
  std::span<const char> phases_;
};

// What kind of thing an event is, by its category: the one list of the names that trace writers
// use.
enum class EventClass : uint8_t {
  other,         // none of the below
  op,            // an op, a compiled region on the host
  annotation,    // a range named by the user, on the host
  python,        // a function of the interpreter
  runtime,       // a call of a device's runtime or driver: launches, copies, waits
  overhead,      // the profiler itself
  kernel,        // computes (or communicates) on a device
  copy,          // moves memory to, from or on a device
  set,           // fills memory on a device
  device_range,  // the device's side of an annotation: spans work but is not work
  sync,          // a wait, as the device saw it
  instant,       // a moment on the host: memory, a graph break
  counter,
  flow,      // one end of an arrow
  metadata,  // names of threads and processes, the recording itself
  share,     // a thread's share of what another launched: beside that, not inside
  phase      // of a compiler, where the writer tells it from ops
};
std::string_view name_of(EventClass which);

// Whether it is an end or an intermediate point of an arrow.
inline bool is_arrow(char phase) {
  return phase == 's' || phase == 't' || phase == 'f';
}

// Decided by category and phase.  Old spellings (`Kernel`, `Runtime`) and those of other devices
// (XPU, MTIA, HPU, PrivateUse1) are known; an unknown category is `other`.
EventClass class_of(std::string_view category, char phase);

// The steps of a training or inference loop, as marked by `ProfilerStep#N`.
//   for (const Step& step : profiler_steps(trace)) …

// A range on the host; nanoseconds from Trace::base().
struct Step {
  int64_t number = 0;
  EventId event = 0;
  int64_t begin = 0, end = 0;
};

// Sorted by begin.  Excludes the device's side of the same ranges.
std::vector<Step> profiler_steps(const Trace& trace);

struct Window {
  int64_t begin = 0, end = 0;
  int64_t length() const { return end - begin; }
};

// The measured window, to which shares "of the measured time" refer: from the begin of the first
// step to the end of the last; without steps, from the begin of the first event with a duration to
// the latest end, excluding the event that spans the recording itself.
Window measured_window(const Trace& trace);

struct NamedWindow {
  std::string name;
  Window window;
};

// The windows for which answers are given: "all", from the begin of the first event with a duration
// to the latest end; if there are steps also "steps", the measured window, and each step by name.
std::vector<NamedWindow> named_windows(const Trace& trace);

}  // namespace vitro::analyze
