// A trace as PyTorch's profiler (Kineto), Vitro and other writers of Chrome's format leave it, of
// any size, as columns.
//   Result<Trace> trace = Trace::open("trace.json.gz");
//   for (const EventId e : trace->events())
//     if (trace->category(e) == "kernel") total += trace->dur()[e];
// Columns lie in a file that is mapped, so a trace of many gigabytes takes little memory; they are
// kept in the user's cache folder and found again the next time.  Threads: a Trace may be read by
// any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/analyze/paced.h"
#include "vitro/base/result.h"

namespace vitro::report {
class Output;
}

namespace vitro::analyze {

// Where a number of an event is not given.
inline constexpr int64_t none = INT64_MIN;

// Something in the file that could not be taken as it stood.
struct Note {
  uint64_t offset = 0;  // in the unpacked file
  std::string text;
};

// A row of the timeline: a thread of a process, a stream of a device.
struct TrackInfo {
  std::string pid, tid;                 // as written, texts without quotes
  std::string process, thread, labels;  // names that the file gives, empty where it gives none
  int64_t sort_index = 0;               // of the process
};

struct LoadOptions {
  bool keep = true;      // the columns in the cache folder; else those kept there are removed
  int threads = 0;       // that read; 0: as many as the process may run on at once
  bool progress = true;  // a line on a terminal, where it takes over a second
};

class Trace {
 public:
  // Reads a trace, packed or not (.json, .gz, .zst, .zip; "-": standard input).  A file that ends
  // early gives what was whole, and a note.  Fails where the file cannot be opened or holds no list
  // of events, with the place in it, or where columns cannot be written.
  static Result<Trace> open(const std::string& path, const LoadOptions& options = {});

  Trace(Trace&&) noexcept;
  Trace& operator=(Trace&&) noexcept;
  ~Trace();

  size_t size() const { return phases_.size(); }
  // For loops over all of them.
  Paced<std::ranges::iota_view<EventId, EventId>> events() const {
    return Paced(std::views::iota(EventId{0}, static_cast<EventId>(size())));
  }
  // Nanoseconds from base().
  std::span<const int64_t> ts() const { return ts_; }
  // Nanoseconds; `none` for events without a duration.
  std::span<const int64_t> dur() const { return dur_; }
  // Numbers of names: name(), category().
  std::span<const uint32_t> name_ids() const { return name_ids_; }
  std::span<const uint16_t> category_ids() const { return category_ids_; }
  // Index in tracks().
  std::span<const uint32_t> track_ids() const { return track_ids_; }
  // X, i, C, M, s, f, ...
  std::span<const char> phases() const { return phases_; }
  // What ties a launch to its kernel (`correlation`), or the two ends of a flow (its id); `none`.
  std::span<const int64_t> links() const { return links_; }
  // `External id`, which ties a launch to its op; `none`.
  std::span<const int64_t> external_ids() const { return external_ids_; }

  std::string_view name(EventId event) const;
  std::string_view category(EventId event) const;
  const std::vector<std::string>& names() const;
  const std::vector<std::string>& categories() const;
  const std::vector<TrackInfo>& tracks() const;

  // Nanoseconds since the Unix epoch that times count from; 0 where the file gives none.
  int64_t base() const;
  // Members of the file beside the events, as JSON text.
  const std::map<std::string, std::string>& metadata() const;
  // What was lost or mended while reading, by place.
  const std::vector<Note>& notes() const;
  uint64_t file_bytes() const;
  uint64_t unpacked_bytes() const;
  // Whether the columns were there already.
  bool from_cache() const;

  // Calls use(event, json) for each of these events, which ascend: the text of the whole event as
  // it stands in the file.  Reads the file once, from the beginning.  Fails where it has gone or
  // changed.
  Result<Done> read_events(std::span<const EventId> events,
                           const std::function<void(EventId, std::string_view)>& use) const;

  // Writes the file, unpacked, with what `more` writes before its first event: further events, each
  // with a comma behind it.  Fails where the file has gone or changed, or has no events.
  Result<Done> copy_with(report::Output& out,
                         const std::function<void(report::Output&)>& more) const;

 private:
  struct Impl;
  explicit Trace(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  // Of its columns; here, since who asks does so for each event.
  std::span<const int64_t> ts_, dur_, links_, external_ids_;
  std::span<const uint32_t> name_ids_, track_ids_;
  std::span<const uint16_t> category_ids_;
  std::span<const char> phases_;
};

}  // namespace vitro::analyze
