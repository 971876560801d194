// The generator of random numbers. By default they are counter-based (Philox 4x32-10; Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", 2011): a number depends on seed, stream and
// counter alone, not on what computes it.
//   manual_seed(7);
//   Tensor x = rand({2, 3});
//   manual_seed(7, Generator::mt19937);  // like torch.manual_seed(7)
//   Tensor y = rand({2, 3});
#pragma once

#include <array>
#include <cstdint>

namespace vitro {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t stream, uint64_t counter);

// Word `index` of a stream: the words of its blocks, one after the other.
uint32_t random_word(uint64_t seed, uint64_t stream, uint64_t index);

enum class Generator : uint8_t {
  philox,   // computed in the kernels that use the numbers
  mt19937,  // PyTorch's numbers on the CPU: drawn one after the other, before the kernels run
};
// Sets the seed of the process and resets the counter to 0.  Threads: any.
void manual_seed(uint64_t seed, Generator generator = Generator::philox);
Generator current_generator();
struct RandomState {
  uint64_t seed, counter;
};
// Reserves the next `draws` numbers: returns the state from which to generate them, and advances
// the counter past them.  Threads: any.
RandomState take_random(uint64_t draws);

}  // namespace vitro
