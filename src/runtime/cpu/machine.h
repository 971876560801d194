// What the processor is and can do.  Asked once, never changes.
//   if (machine().has("avx512bf16")) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::runtime {

// What the system must save and restore for a feature to be usable, in rising order.
enum class Registers : uint8_t { general, avx, avx512, amx };

struct CpuFeature {
  std::string_view name;  // as LLVM spells it: "avx512bw"
  Registers registers;
};

struct Machine {
  std::string architecture;   // "x86_64", "aarch64"
  int available_threads = 1;  // hardware threads that this process may use: affinity and quota
  int hardware_threads = 1;   // that the machine has online
  size_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // of one core; the shared cache whole; 0: none
  size_t memory_bytes = 0;
  std::vector<CpuFeature> features;  // usable ones, by name

  bool has(std::string_view feature) const;
};

const Machine& machine();

// Measured when first asked for (some tens of milliseconds, on the calling thread alone for the
// first, on all threads for the second), then remembered.
double peak_gflops_of_a_core();  // f32, fused multiply-add counted as two
double memory_gbytes_per_s();    // reading, all threads together

}  // namespace vitro::runtime
