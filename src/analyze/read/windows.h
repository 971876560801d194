// Cuts a trace file of any size into windows of complete events.
//   Windows windows(std::move(bytes));
//   for (TextWindow window; windows.next(window);) parse(window);
//   windows.metadata()["deviceProperties"], windows.notes()
// A file is an object with the list `traceEvents`, other members in any order before or after it,
// or that list alone.  One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/read/bytes.h"
#include "vitro/analyze/trace.h"

namespace vitro::analyze {

struct TextWindow {
  uint64_t offset = 0;  // of its first event in the unpacked file
  // Events separated by commas, with room for a bracket before and after, and then the padding that
  // a parser may read past the end.
  std::string_view events() const { return {buffer.data() + begin, end - begin}; }

  std::vector<char> buffer;
  size_t begin = 0, end = 0;
};

class Windows {
 public:
  static constexpr size_t usual_bytes = size_t{1} << 20;  // fits in a core's cache
  static constexpr size_t most_bytes = size_t{1} << 30;   // of one event
  static constexpr size_t padding = 128;                  // after the events of a window

  // Windows have this many bytes, or more if a single event does.
  explicit Windows(std::unique_ptr<Bytes> bytes, size_t window_bytes = usual_bytes)
      : bytes_(std::move(bytes)), window_bytes_(window_bytes) {}

  // Reads the next complete events; false if there are no more.  Malformed input ends the file, and
  // a note says where and why.
  bool next(TextWindow& window);

  // Members of the file other than the events, as JSON text.  Complete after the last window.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<Note>& notes() const { return notes_; }
  uint64_t consumed() const { return bytes_->consumed(); }
  uint64_t total() const { return bytes_->total(); }
  uint64_t unpacked() const { return offset_ + rest_.size(); }
  // Whether the file has a list of events.
  bool found_events() const { return found_events_; }

 private:
  enum class State : uint8_t { start, members, events, done };

  bool fill();
  char peek();
  void step(size_t bytes);
  void skip_space();
  void start();
  void member();
  bool read_key(std::string& key);
  void keep_value(const std::string& key);
  bool cut(TextWindow& window);
  void end_early();
  void stop(std::string why);

  std::unique_ptr<Bytes> bytes_;
  size_t window_bytes_;
  State state_ = State::start;
  bool bare_list_ = false, found_events_ = false, ended_ = false;
  uint64_t offset_ = 0;  // of rest_ in the file
  std::string rest_;     // read but not used yet
  size_t at_ = 0;        // in rest_
  std::map<std::string, std::string> metadata_;
  std::vector<Note> notes_;
};

}  // namespace vitro::analyze
