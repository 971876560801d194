// The sweep: small programs of ops x layouts, each at three sizes.  A program is one entry here;
// its twin of the same name stands in bench/peers/sweep.py.  bench/sweep runs them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vitro/core/tensor.h"

namespace vitro::bench {

using In = const std::vector<Tensor>&;
using Three = std::array<int64_t, 3>;
inline constexpr Three powers{32, 512, 2048}, round_numbers{30, 1000, 2000};

// Inputs are words such as "nxn" or "n*n/64x64:i64": sizes, then a dtype where it is not f32. Whole
// numbers are indices below n; ":positive" stands for f32 above 0, "@500" for as many of the kind.
struct SweepProgram {
  std::string_view name, inputs;
  Tensor (*run)(In);
  Three sizes = powers;
};

struct SweepPrograms {
  SweepPrograms(std::initializer_list<SweepProgram> programs);
};
std::vector<SweepProgram>& sweep_programs();

// Answers the questions of bench/sweep, a line of JSON each, until its input ends.
int serve_sweep();

// Random programs over permuted tensors: prints those that are compiled slower than eager.
int measure_layouts(uint32_t seed, int count);

}  // namespace vitro::bench
