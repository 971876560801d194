// A trace file cut into windows of whole events, however large it is.
//   Windows windows(std::move(bytes));
//   for (Window window; windows.next(window);) parse(window);
//   windows.metadata()["deviceProperties"], windows.notes()
// A file is an object with the list `traceEvents`, its other members in any order before or behind
// it, or that list alone.  One thread at a time.
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

struct Window {
  uint64_t offset = 0;  // of its first event in the unpacked file
  // Events with commas between them; room for a bracket stands before and behind it, and behind
  // that what a parser may read beyond the end.
  std::string_view events() const { return {buffer.data() + begin, end - begin}; }

  std::vector<char> buffer;
  size_t begin = 0, end = 0;
};

class Windows {
 public:
  static constexpr size_t usual_bytes = size_t{1} << 20;  // what a core's cache holds
  static constexpr size_t most_bytes = size_t{1} << 30;   // of one event
  static constexpr size_t padding = 128;                  // behind the events of a window

  // Windows have so many bytes, and more where an event has.
  explicit Windows(std::unique_ptr<Bytes> bytes, size_t window_bytes = usual_bytes)
      : bytes_(std::move(bytes)), window_bytes_(window_bytes) {}

  // The next whole events; false where there are no more.  What does not fit the format ends the
  // file, and a note says where and why.
  bool next(Window& window);

  // Members of the file beside the events, as JSON text.  Complete after the last window.
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::vector<Note>& notes() const { return notes_; }
  uint64_t consumed() const { return bytes_->consumed(); }
  uint64_t total() const { return bytes_->total(); }
  uint64_t unpacked() const { return offset_ + rest_.size(); }
  // Whether there was a list of events at all.
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
  bool cut(Window& window);
  void end_early();
  void stop(std::string why);

  std::unique_ptr<Bytes> bytes_;
  size_t window_bytes_;
  State state_ = State::start;
  bool bare_list_ = false, found_events_ = false, ended_ = false;
  uint64_t offset_ = 0;  // of rest_ in the file
  std::string rest_;     // read, not used yet
  size_t at_ = 0;        // in rest_
  std::map<std::string, std::string> metadata_;
  std::vector<Note> notes_;
};

}  // namespace vitro::analyze
