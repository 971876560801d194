// Windows of a trace file to rows of columns.
//   EventParser parser;                       // one for each thread that reads
//   Batch batch = parser.parse(window);
// Names, categories and tracks get numbers of this parser, in the order in which it meets them; who
// collects the batches gives them their own.
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
  uint64_t offset = 0;  // of the event's text in the unpacked file
  uint32_t length = 0;
  uint32_t name = 0, track = 0;
  uint16_t category = 0;
  char phase = 'X';
};

// What an event of phase M says of a track or its process.
struct TrackFact {
  uint32_t track = 0;
  enum class Kind : uint8_t { process, thread, labels, sort_index } kind = Kind::process;
  std::string text;
  int64_t number = 0;
};

struct Batch {
  std::vector<Row> rows;
  std::vector<TrackFact> facts;
  std::vector<Note> notes;
};

class EventParser {
 public:
  EventParser();
  ~EventParser();

  // May write into the window's buffer.
  Batch parse(Window& window);

  // By number; texts without quotes and escapes.
  const std::vector<std::string>& names() const;
  const std::vector<std::string>& categories() const;
  struct Track {
    std::string pid, tid;
  };
  const std::vector<Track>& tracks() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Microseconds, as decimals of any length, to nanoseconds; false where the text is no number.
bool read_microseconds(std::string_view text, int64_t* ns);

}  // namespace vitro::analyze
