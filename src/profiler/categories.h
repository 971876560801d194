// What memory was for: as it was said, else as its life tells.
#pragma once

#include <vector>

#include "vitro/profiler/profile.h"

namespace vitro {

// Said after an allocation was made.
struct CategoryMark {
  int64_t at = 0;
  uint64_t address = 0;
  events::MemoryCategory category;
};

// Gives allocations and their frees the categories of the marks.  Of what nobody said: memory that
// an op or region took is its temporary if it was freed before that ended, else an activation.
// All times in one unit.
void categorise(std::vector<Track>& tracks, std::vector<CategoryMark> marks);

}  // namespace vitro
