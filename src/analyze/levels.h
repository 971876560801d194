// A level that changes over time.
#pragma once

#include <cstdint>
#include <vector>

namespace vitro::analyze {

struct Level {
  int64_t at = 0, value = 0;  // from then on
};

// What the level does not exceed for 95 % of the time from the first to the last.  Needs: some, by
// time.
int64_t usual_level(const std::vector<Level>& levels);

}  // namespace vitro::analyze
