// Extracts events from JSON text as pieces of that text.  simdjson validates the text and marks
// where values begin; wanted members are taken at the marks, the rest is skipped unread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace vitro::analyze {

// The members of an event as written, texts with their quotes.  Empty: absent.
struct RawEvent {
  // Not null: all-zero structures are cleared by a slow instruction.
  static constexpr std::string_view missing = "";

  std::string_view text = missing;  // the whole event
  std::string_view name = missing, category = missing, phase = missing, ts = missing, dur = missing;
  std::string_view pid = missing, tid = missing, id = missing;
  // From its arguments.
  std::string_view correlation = missing, external = missing;
  std::string_view arg_name = missing, arg_labels = missing, arg_sort_index = missing;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void add(const RawEvent& event) = 0;
};

// One thread at a time.
class EventReader {
 public:
  EventReader();
  ~EventReader();
  // Reads a list of events: `text` from '[' to ']', followed by `padding` bytes.  Returns empty on
  // success; else the error, with `bad` the position in `text` up to which events were added.
  std::string read(std::string_view text, EventSink& sink, size_t* bad);

  static constexpr size_t padding = 64;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vitro::analyze
