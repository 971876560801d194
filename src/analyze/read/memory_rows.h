// The file of a memory timeline as rows.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/read/bytes.h"
#include "vitro/analyze/trace.h"
#include "vitro/base/memory_timeline.h"

namespace vitro::analyze {

struct MemoryRow {
  int64_t at = 0;       // nanoseconds since the Unix epoch, or timeline_before
  int64_t bytes = 0;    // negative: less
  uint32_t number = 0;  // of its row, or of its time, in the file
  TimelineAction action{};
  TimelineCategory category{};
};

struct MemoryRows {
  // Whether the file holds sums (.json) and no changes (.raw.json): then a row is what differs from
  // one time to the next, of each category, what became less first.
  bool sums = false;
  std::vector<MemoryRow> list;  // by time
  std::vector<Note> notes;      // what was lost
};

// Of bytes that begin as a memory timeline does.  A file that ends early or breaks gives what was
// whole, and a note; nothing whole is a failure, with the byte.
Result<MemoryRows> read_memory_rows(Bytes& bytes);

}  // namespace vitro::analyze
