// Events out of JSON text, as pieces of that text.  simdjson checks the text and marks where its
// values begin; what is wanted is taken at the marks, the rest is stepped over and never looked at.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace vitro::analyze {

// The members of an event, as they are written: texts with their quotes.  Empty: not given.
struct RawEvent {
  // Not a null one: what is all zeros is cleared by a slow instruction.
  static constexpr std::string_view missing = "";

  std::string_view text = missing;  // all of it
  std::string_view name = missing, category = missing, phase = missing, ts = missing, dur = missing;
  std::string_view pid = missing, tid = missing, id = missing;
  // Of its arguments.
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
  // Reads a list of events: `text` from its '[' to its ']', with `padding` bytes behind it.
  // Empty when all is well; else what is wrong, and `bad` the place in `text` before which all
  // events were added, and behind which none.
  std::string read(std::string_view text, EventSink& sink, size_t* bad);

  static constexpr size_t padding = 64;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vitro::analyze
