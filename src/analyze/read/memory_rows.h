// Reads the file of a memory timeline as rows.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/read/bytes.h"
#include "vitro/analyze/trace.h"
#include "vitro/kineto/memory_timeline.h"

namespace vitro::analyze {

struct MemoryRow {
  int64_t at = 0;       // nanoseconds since the Unix epoch, or timeline_before
  int64_t bytes = 0;    // negative: less
  uint32_t number = 0;  // of its row, or of its time, in the file
  TimelineAction action{};
  TimelineCategory category{};
};

struct MemoryRows {
  // Whether the file holds sums (.json), not changes (.raw.json): rows are then the differences
  // between consecutive times, by category, decreases first.
  bool sums = false;
  std::vector<MemoryRow> list;  // by time
  std::vector<Note> notes;      // what could not be read
};

// Reads bytes that begin like a memory timeline.  A truncated or corrupt file gives the complete
// rows and a note; without a complete row it is a failure that names the byte.
Result<MemoryRows> read_memory_rows(Bytes& bytes);

}  // namespace vitro::analyze
