// Random numbers by counter (Philox 4x32-10; Salmon et al., "Parallel random numbers: as easy as 1,
// 2, 3", 2011): a number is a function of seed and counter, whoever computes it.
#pragma once

#include <array>
#include <cstdint>

namespace vitro {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t counter);

// Sets the process's seed and puts the counter back to 0.  Any thread.
void manual_seed(uint64_t seed);
struct RandomState {
  uint64_t seed, counter;
};
// Takes `draws` numbers in program order: the state to use for them; the counter goes on behind
// them.
RandomState take_random(uint64_t draws);

}  // namespace vitro
