// Counter-based random numbers (Philox 4x32-10; Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011): a number depends on seed, stream and counter alone, not on what computes it.
#pragma once

#include <array>
#include <cstdint>

namespace vitro {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t counter);

// Sets the seed of the process and resets the counter to 0.  Threads: any.
void manual_seed(uint64_t seed);
struct RandomState {
  uint64_t seed, counter;
};
// Reserves the next `draws` numbers: returns the state from which to generate them, and advances
// the counter past them.  Threads: any.
RandomState take_random(uint64_t draws);

}  // namespace vitro
