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

// Whether a result is better written past the caches.  A plain store reads the line first, for
// nothing where the line leaves the last cache before anybody asks for it; but writes past the
// caches are about half as fast as reads (a Zen 4, docs/performance.md).  So where much more is
// moved than the last cache holds (VITRO_STREAM_MB), and at least half of it is read.  `written`:
// bytes of the result; `moved`: of the operands too.
bool should_stream(int64_t written, int64_t moved);

// Smaller results are never streamed, so that code for them need not carry the choice.
inline constexpr int64_t least_streamed_bytes = 1 << 20;

// The processor as it calls itself: "AMD EPYC 9654 (family 25, model 17, stepping 1)".
std::string processor_name();

}  // namespace vitro::runtime
