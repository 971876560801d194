// Assigns offsets in the arena to temporary buffers; buffers with disjoint lifetimes may share
// memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vitro/base/id.h"

namespace vitro::backend {

using LaunchId = Id<struct LaunchTag>;  // an index into the list of launches

// Live from launch `first` to launch `last`, inclusive.
struct Lifetime {
  int64_t bytes = 0;
  LaunchId first, last;
};

struct ArenaPlan {
  std::vector<int64_t> offsets;  // multiples of 64
  int64_t bytes = 0;
};

// a + b; Error on overflow of 64 bits.
int64_t add_bytes(int64_t a, int64_t b);

// Greedy, in order of decreasing size: each buffer gets the lowest offset that is free during its
// lifetime.
ArenaPlan plan_arena(std::span<const Lifetime> buffers);

}  // namespace vitro::backend
