// Collectives of several ranks: which match, and clock alignment by them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

struct Collective {
  uint64_t what = 0;           // hash of its name and process group
  uint64_t turn = 0;           // hash of `what`, its step and its position among equal ones there
  int64_t begin = 0, end = 0;  // nanoseconds since the epoch
  int64_t hidden = 0;          // part of it while the device computes
  EventId event = 0;
};

struct Alignment {
  bool found = false;
  int64_t offset = 0, spread = 0;  // offset to add to the other rank's times
};
// The offset of one rank's clock from another's.
Alignment align(const std::vector<Collective>& reference, const std::vector<Collective>& other);

// One collective on all participating ranks: index of the rank, index of its collective.
using Together = std::vector<std::pair<size_t, size_t>>;
// Collectives on two ranks or more; `offsets` are added to the times of each rank.
std::vector<Together> match(const std::vector<std::vector<Collective>>& ranks,
                            const std::vector<int64_t>& offsets);

}  // namespace vitro::analyze
