// Where temporary buffers lie in the arena of a call: buffers that do not live at the same time may
// share memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitro/base/id.h"

namespace vitro::backend {

using LaunchId = Id<struct LaunchTag>;  // an index into the list of launches

// Needed from launch `first` to launch `last`, both included.
struct Lifetime {
  int64_t bytes = 0;
  LaunchId first, last;
};

struct ArenaPlan {
  std::vector<int64_t> offsets;  // multiples of 64
  int64_t bytes = 0;
};

// a + b; Error where that leaves 64 bits.
int64_t add_bytes(int64_t a, int64_t b);

// Large buffers first, each at the lowest offset that is free for as long as it lives.
ArenaPlan plan_arena(std::span<const Lifetime> buffers);

}  // namespace vitro::backend
