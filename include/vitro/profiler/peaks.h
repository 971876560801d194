// The peak rates of this machine, measured once and kept: the reference for how good a kernel is.
//   if (const auto peaks = vitro::known_peaks()) use(peaks->share(bytes, flops, ns));
// `vitro machine` measures and prints them; a profiler's tables and traces show each kernel's
// share. Threads: any.
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
    uint64_t bytes = 0;       // capacity available to all threads; for memory: all of it
    double one = 0, all = 0;  // GB/s when reading, of one thread and of all together
  };
  struct Rate {
    std::string dtype;        // "f32", "f64", "f16", "bf16", "i8"
    std::string feature;      // instruction set: "avx512f", "amx-bf16"; empty: plain vectors
    double one = 0, all = 0;  // billions of operations per second; a multiply-add is two
  };

  std::string processor;
  int threads = 1;
  std::vector<Level> levels;  // the nearest first; the last is memory
  std::vector<Rate> rates;    // one for each dtype with instructions on this machine

  // Null if the machine has no instructions for it.
  const Rate* rate(std::string_view dtype) const;
  // The nearest level that holds this many bytes.
  const Level& level_for(uint64_t bytes) const;

  // The minimum time in nanoseconds, with all threads, for moving `bytes` through the nearest level
  // that holds them or computing `flops` of f32, whichever is longer.
  double least_ns(uint64_t bytes, uint64_t flops) const;
  // The share of the machine's peak that a launch reached: 1 is the roof.
  double share(uint64_t bytes, uint64_t flops, double ns) const;
};

// The figures of this machine for the present number of threads; nothing if not measured.  Does not
// measure: reads a small file the first time.
std::optional<Peaks> known_peaks();

// Measures (a second or two; nothing else should be running) and keeps the result in the cache
// folder.
Peaks measure_peaks();

}  // namespace vitro
