// Memory from the system, in sizes that fit each other.
#pragma once

#include <cstddef>

namespace vitro::runtime {

// Blocks of one class are interchangeable.
struct SizeClass {
  int number;    // 0 is the smallest; -1 above the largest class: such blocks are not kept
  size_t bytes;  // of every block of the class
};

inline constexpr size_t block_alignment = 64;
inline constexpr int class_count = 128;

// Steps of 64 bytes up to 256, then four to a doubling: at most a quarter of a block is unused.
SizeClass size_class(size_t bytes);
size_t bytes_of_class(int number);

// Null when the system has none.  From 2 MiB on aligned to and advised for huge pages.
void* take_from_system(size_t bytes);
void return_to_system(void* data, size_t bytes);

}  // namespace vitro::runtime
