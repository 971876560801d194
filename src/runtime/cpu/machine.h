// Properties of the processor, queried once; they never change.
//   if (machine().has("avx512bf16")) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vitro::runtime {

// Register state that the system must save and restore for a feature to be usable, oldest first.
enum class Registers : uint8_t { general, avx, avx512, amx };

struct CpuFeature {
  std::string_view name;  // as LLVM spells it: "avx512bw"
  Registers registers;
};

struct Machine {
  std::string architecture;   // "x86_64", "aarch64"
  int available_threads = 1;  // hardware threads that this process may use: affinity and quota
  int hardware_threads = 1;   // hardware threads of the machine that are online
  size_t l1d_bytes = 0, l2_bytes = 0, l3_bytes = 0;  // of one core; L3: the entire cache; 0: none
  size_t memory_bytes = 0;                           // of the machine
  size_t available_memory_bytes = 0;  // what this process may use of it: container, RLIMIT_AS
  std::vector<CpuFeature> features;   // usable ones, sorted by name

  bool has(std::string_view feature) const;
};

const Machine& machine();

// Whether to write a result past the caches.  A plain store reads the line first, in vain if the
// line is evicted from the last cache before its next use; but writes past the caches are about
// half as fast as reads (a Zen 4, docs/performance.md).  So true if the kernel moves much more than
// the last cache holds (VITRO_STREAM_MB) and at least half of it is read.  `written` is the bytes
// of the result, `moved` those of the operands and the result.
bool should_stream(int64_t written, int64_t moved);

// Smaller results are never streamed, so code for them needs no branch.
inline constexpr int64_t least_streamed_bytes = 1 << 20;

// The processor's own name: "AMD EPYC 9654 (family 25, model 17, stepping 1)".
std::string processor_name();

}  // namespace vitro::runtime
