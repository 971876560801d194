// Parses windows of a trace file into rows of columns.
//   EventParser parser;                       // one for each thread that reads
//   parser.parse(window, batch);
// Names, categories and tracks are numbered per parser, from 0, in order of first appearance; the
// collector of batches renumbers them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/read/windows.h"

namespace vitro::analyze {

struct Row {
  int64_t ts = 0, dur = none, link = none, external = none;
  uint32_t offset = 0;  // of the event's text, from the window's
  uint32_t length = 0;
  uint32_t name = 0, track = 0;
  uint16_t category = 0;
  char phase = 'X';
};

// The rows of a window, a vector for each column.  Keeps its memory when cleared.
class Rows {
 public:
  std::vector<int64_t> ts, dur, link, external;
  std::vector<uint32_t> offset, length, name, track;
  std::vector<uint16_t> category;
  std::vector<char> phase;  // each longer than size(): spare rows

  size_t size() const { return size_; }
  void add(const Row& row) {
    if (size_ == phase.size()) make_room();
    ts[size_] = row.ts;
    dur[size_] = row.dur;
    link[size_] = row.link;
    external[size_] = row.external;
    offset[size_] = row.offset;
    length[size_] = row.length;
    name[size_] = row.name;
    track[size_] = row.track;
    category[size_] = row.category;
    phase[size_++] = row.phase;
  }
  void clear() { size_ = 0; }
  // Keeps only the first `rows`.
  void cut(size_t rows) { size_ = rows < size_ ? rows : size_; }

 private:
  void make_room();

  size_t size_ = 0;
};

// What a metadata event (phase M) says about a track or its process.
struct TrackFact {
  uint32_t track = 0;
  enum class Kind : uint8_t { process, thread, labels, sort_index } kind = Kind::process;
  std::string text;
  int64_t number = 0;
};

struct TrackKey {
  std::string pid, tid;
};

struct Batch {
  uint64_t offset = 0;  // of the window in the unpacked file
  Rows rows;
  std::vector<TrackFact> facts;
  std::vector<Note> notes;
  // Items new to the parser, in the order of its numbers; texts without quotes and escapes.
  std::vector<std::string> names, categories;
  std::vector<TrackKey> tracks;

  void clear();
};

class EventParser {
 public:
  EventParser();
  ~EventParser();

  // Replaces the contents of `batch` with those of the window.  May write to the window's buffer.
  void parse(TextWindow& window, Batch& batch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Converts decimal microseconds of any length to nanoseconds; false if the text is not a number.
bool read_microseconds(std::string_view text, int64_t* ns);

}  // namespace vitro::analyze
