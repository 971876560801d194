// A level that changes over time.
#pragma once

#include <cstdint>
#include <vector>

namespace vitro::analyze {

struct Level {
  int64_t at = 0, value = 0;  // from then on
};

// The level not exceeded for 95 % of the time between the first and the last.  Needs: at least one,
// in order of time.
int64_t usual_level(const std::vector<Level>& levels);

}  // namespace vitro::analyze
