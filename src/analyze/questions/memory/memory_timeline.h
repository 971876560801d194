// Memory over time by purpose, from the files that export_memory_timeline of PyTorch and Vitro
// writes: lists of numbers, not a trace.
//   const auto timeline = memory_timeline("memory.raw.json.gz");
//   if (timeline && *timeline)
//     for (const auto& each : (*timeline)->categories) print(name_of(each.category), each.peak);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/questions/memory/memory.h"
#include "vitro/kineto/memory_timeline.h"

namespace vitro::analyze {

// Complete for changes (.raw.json).  Sums (.json) do not record what was allocated and freed, only
// the total at the end of each microsecond: a peak within one is not seen.
struct MemoryTimeline {
  // first + allocated - freed + moved = last.
  struct Category {
    TimelineCategory category{};
    int64_t first = 0;  // before the profile
    uint64_t allocations = 0, frees = 0;
    int64_t allocated = 0, freed = 0;
    int64_t moved = 0;  // memory that became this category when rewritten, minus what left it
    int64_t peak = 0, peak_at = 0;  // its own
    int64_t at_peak = 0;            // its bytes at the peak of the total
    int64_t last = 0;
  };
  struct Moment {
    int64_t begin = 0, most = 0;  // the greatest total in one of equal parts of the time
    BytesByCategory held{};       // its composition
  };
  // The total.  Events are rows of the file, from 0 (for sums: of its list of times); the file does
  // not name the device.
  Memory::Device all;
  std::vector<Category> categories;  // those present, in PyTorch's order
  std::vector<Moment> timeline;
  int64_t begin = 0, end = 0;  // nanoseconds since the Unix epoch
  bool sums = false;
  std::vector<Note> notes;  // what could not be read
};

// Reads a file, packed or not ("-": standard input).  Returns nothing if the file is something
// else, leaving standard input unread; fails if it cannot be read.  About 40 bytes per row.
Result<std::optional<MemoryTimeline>> memory_timeline(const std::string& path);

// The tables of answer_memory() that such a file can answer, and one by category.
Answer answer_memory_timeline(const MemoryTimeline& timeline);

// Answers for a file that is a memory timeline, for Analysis::ask_file.
Result<std::optional<Answer>> answer_memory_file(const std::string& path);

}  // namespace vitro::analyze
