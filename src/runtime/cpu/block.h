// Blocks of memory from the system, in size classes.
#pragma once

#include <cstddef>

namespace vitro::runtime {

// Blocks of one class are interchangeable.
struct SizeClass {
  int number;    // 0 is the smallest; -1 beyond the largest class: such blocks are not cached
  size_t bytes;  // of every block of the class
};

inline constexpr size_t block_alignment = 64;
inline constexpr int class_count = 128;

// Classes are in steps of 64 bytes up to 256, then four per power of two, so that less than a
// quarter of a larger block is unused.
SizeClass size_class(size_t bytes);
size_t bytes_of_class(int number);

// Returns null if the system is out of memory.  Blocks of 64 KiB or more use huge pages if
// possible; those of 2 MiB or more are aligned to them.
void* take_from_system(size_t bytes);
void return_to_system(void* data, size_t bytes);

}  // namespace vitro::runtime
