// What this machine can reach, measured once and kept: the measure of how good a kernel is.
//   if (const auto peaks = vitro::known_peaks()) use(peaks->share(bytes, flops, ns));
// `vitro machine` measures and prints it; tables and traces of a profiler show each kernel's share.
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vitro {

struct Peaks {
  struct Level {
    std::string name;         // "L1", "L2", "L3", "memory"
    uint64_t bytes = 0;       // that all threads' share of it holds; of memory: all there is
    double one = 0, all = 0;  // GB/s reading, of one thread and of all together
  };
  struct Rate {
    std::string dtype;        // "f32", "f64", "f16", "bf16", "i8"
    std::string feature;      // the instructions: "avx512f", "amx-bf16"; empty: plain vectors
    double one = 0, all = 0;  // billions of operations a second; a multiply-add is two
  };

  std::string processor;
  int threads = 1;
  std::vector<Level> levels;  // the nearest first; the last is memory
  std::vector<Rate> rates;    // one for each dtype that the machine has instructions for

  // Null where the machine has no instructions for it.
  const Rate* rate(std::string_view dtype) const;
  // The nearest level that holds so many bytes.
  const Level& level_for(uint64_t bytes) const;

  // The least time in nanoseconds for moving `bytes` through the nearest level that holds them and
  // computing `flops` of f32, whichever is longer, with all threads.
  double least_ns(uint64_t bytes, uint64_t flops) const;
  // The share of the machine's peak that a launch reached: 1 where it is at the roof.
  double share(uint64_t bytes, uint64_t flops, double ns) const;
};

// What was measured on this machine, with as many threads as there are now; nothing where nobody
// measured.  Never measures: reads a small file the first time.
std::optional<Peaks> known_peaks();

// Measures (a second or two; let nothing else run meanwhile) and keeps the result in the cache
// folder.
Peaks measure_peaks();

}  // namespace vitro
