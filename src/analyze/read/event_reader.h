// Events out of JSON text by simdjson, as pieces of that text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace vitro::analyze {

// The members of an event, as they are written: texts with their quotes.  Empty: not given.
struct RawEvent {
  std::string_view text;  // all of it
  std::string_view name, category, phase, ts, dur, pid, tid, id;
  std::string_view correlation, external;                 // of its arguments
  std::string_view arg_name, arg_labels, arg_sort_index;  // of its arguments
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void add(const RawEvent& event) = 0;
};

class EventReader {
 public:
  virtual ~EventReader() = default;
  // Reads a list of events: `text` from its '[' to its ']', with room for a parser behind it.
  // Empty when all is well; else what is wrong, and `bad` the place in `text` before which all
  // events were added, and behind which none.
  virtual std::string read(std::string_view text, EventSink& sink, size_t* bad) = 0;
};

// The fastest that runs on this machine.
std::unique_ptr<EventReader> event_reader();

// Each compiled for its instructions: simdjson chooses by them.
std::unique_ptr<EventReader> event_reader_any();
#if defined(__x86_64__)
std::unique_ptr<EventReader> event_reader_avx2();
#endif

}  // namespace vitro::analyze
