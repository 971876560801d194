// Memory over time by what it was for, from the files that export_memory_timeline of PyTorch and
// Vitro writes: lists of numbers, and no trace.
//   const auto timeline = memory_timeline("memory.raw.json.gz");
//   if (timeline && *timeline)
//     for (const auto& each : (*timeline)->categories) print(name_of(each.category), each.peak);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vitro/analyze/memory.h"
#include "vitro/base/memory_timeline.h"

namespace vitro::analyze {

// Of changes (.raw.json) all of it.  Sums (.json) do not say what was allocated and freed, only how
// much there was more or less at the end of a microsecond: a peak within one is not seen.
struct MemoryTimeline {
  // first + allocated - freed + moved = last.
  struct Category {
    TimelineCategory category{};
    int64_t first = 0;  // before the profile
    uint64_t allocations = 0, frees = 0;
    int64_t allocated = 0, freed = 0;
    int64_t moved = 0;  // what became this by being written again, without what became another
    int64_t peak = 0, peak_at = 0;  // its own
    int64_t at_peak = 0;            // what it has where all together have most
    int64_t last = 0;
  };
  struct Moment {
    int64_t begin = 0, most = 0;  // the greatest total in an equal part of the time
    BytesByCategory held{};       // what it is made of
  };
  // All together.  Events are rows of the file, from 0 (of sums: of its list of times); the file
  // does not name the device.
  Memory::Device all;
  std::vector<Category> categories;  // those that occur, in PyTorch's order
  std::vector<Moment> timeline;
  int64_t begin = 0, end = 0;  // nanoseconds since the Unix epoch
  bool sums = false;
  std::vector<Note> notes;  // what was lost
};

// Packed or not ("-": standard input).  Nothing where the file is something else, standard input
// as yet unread then; fails where it cannot be read.  About 40 bytes for each row.
Result<std::optional<MemoryTimeline>> memory_timeline(const std::string& path);

// The tables of answer_memory() that such a file has an answer for, and one by category.
Answer answer_memory_timeline(const MemoryTimeline& timeline);

// Of a file that is a memory timeline; as Analysis::ask_file asks.
Result<std::optional<Answer>> answer_memory_file(const std::string& path);

}  // namespace vitro::analyze
