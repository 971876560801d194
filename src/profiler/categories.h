// The purpose of memory: as declared, else inferred from its lifetime.
#pragma once

#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

// A category declared after an allocation.
struct CategoryMark {
  int64_t at = 0;
  uint64_t address = 0;
  int64_t bytes = 0;  // 0: unknown
  events::MemoryCategory category;
};

// Assigns allocations and their frees the categories of the marks.  Without a mark, memory
// allocated by an op or region is its temporary if freed before that ended, else an activation. All
// times in the same unit.  Returns the bytes of the marked memory that is older than the changes.
BytesByPurpose categorise(std::vector<Track>& tracks, std::vector<CategoryMark> marks);

}  // namespace vitro
