// The sweep: small programs, ops x layouts, each at three sizes.  Each program has a twin of the
// same name in bench/peers/sweep.py.  bench/sweep runs them.
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

// Inputs are words such as "nxn" or "n*n/64x64:i64": sizes, then the dtype unless it is f32.
// Integers are indices below n; ":positive" means f32 above 0, "@500" means 500 such inputs.
struct SweepProgram {
  std::string_view name, inputs;
  Tensor (*run)(In);
  Three sizes = powers;
};

struct SweepPrograms {
  SweepPrograms(std::initializer_list<SweepProgram> programs);
};
std::vector<SweepProgram>& sweep_programs();

// Answers the requests of bench/sweep, one line of JSON each, until the end of standard input.
int serve_sweep();

// Runs random programs over permuted tensors and prints those that are slower compiled than eager.
int measure_layouts(uint32_t seed, int count);

}  // namespace vitro::bench
