// Peak rates of the machine: arithmetic of each dtype, and reads from each level of memory.
//   for (const Arithmetic& a : arithmetic()) use(a.dtype, gops(a, 1), gops(a, num_threads()));
// A measurement takes some milliseconds and returns the best of several tries: what the machine can
// do, not what it does while other programs use it.  Run one measurement at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vitro::runtime {

// A loop that reaches the peak of a dtype with one kind of instructions.
struct Arithmetic {
  std::string_view dtype;    // "f32"
  std::string_view feature;  // the instructions, as named in machine().features
  int64_t ops = 0;           // per run; a multiply-add counts as two
  void (*run)() = nullptr;
};

// Returns all loops that this machine supports; a dtype may have several.
std::vector<Arithmetic> arithmetic();

// Returns billions of operations per second, summed over the threads.
double gops(const Arithmetic& how, int threads);

// Returns the GB/s of all threads together, each repeatedly reading its own `bytes`.
double read_gbytes_per_s(size_t bytes, int threads);

}  // namespace vitro::runtime
