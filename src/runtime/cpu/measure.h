// What the machine reaches: arithmetic of each kind of number, and reading from each level of
// memory.
//   for (const Arithmetic& a : arithmetic()) use(a.dtype, gops(a, 1), gops(a, num_threads()));
// A figure takes some milliseconds.  All of them are the best of several tries: what a machine can
// do, not what it does while others use it.  One measurement at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace vitro::runtime {

// A way to compute with a kind of number.
struct Arithmetic {
  std::string_view dtype;    // "f32"
  std::string_view feature;  // the instructions, as machine().features calls them
  int64_t ops = 0;           // done by one run; a multiply-add counts as two
  void (*run)() = nullptr;
};

// All ways that this machine says it has, several for a dtype where there are several.
std::vector<Arithmetic> arithmetic();

// Billions of operations a second, of that many threads together.
double gops(const Arithmetic& how, int threads);

// GB/s that so many threads read together, each from `bytes` of its own, again and again.
double read_gbytes_per_s(size_t bytes, int threads);

}  // namespace vitro::runtime
