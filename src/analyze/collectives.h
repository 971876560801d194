// Collectives of several ranks: clocks aligned by them, and which belong together.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

struct Collective {
  uint64_t what = 0;           // hash of its name and process group
  uint64_t turn = 0;           // hash of `what`, its step and its place among those like it there
  int64_t begin = 0, end = 0;  // nanoseconds since the epoch
  int64_t hidden = 0;          // of it, while the device computes
  EventId event = 0;
};

struct Alignment {
  bool found = false;
  int64_t offset = 0, spread = 0;  // to add to the times of the other one
};
// Of one rank's clock against another's.
Alignment align(const std::vector<Collective>& reference, const std::vector<Collective>& other);

// One collective on the ranks that took part in it: index of the rank, index of its collective.
using Together = std::vector<std::pair<size_t, size_t>>;
// Those on two ranks or more; `offsets` are what to add to the times of each.
std::vector<Together> match(const std::vector<std::vector<Collective>>& ranks,
                            const std::vector<int64_t>& offsets);

}  // namespace vitro::analyze
