// Statistics of CPU memory, and control of its cache.
//   MemoryStats s = memory_stats();   s.peak_bytes
// Thread-safe.
#pragma once

#include <cstdint>

namespace vitro {

struct MemoryStats {
  int64_t allocations = 0;   // since the start of the process
  int64_t cache_hits = 0;    // allocations served from the cache
  int64_t live_bytes = 0;    // requested and not yet freed
  int64_t peak_bytes = 0;    // maximum of live_bytes since the start or reset_memory_peak()
  int64_t cached_bytes = 0;  // freed, kept for reuse
};

MemoryStats memory_stats();
// Sets peak_bytes to the current live_bytes.
void reset_memory_peak();
// Sets the maximum of cached_bytes; the initial value comes from VITRO_CPU_CACHE_MB.
void set_cache_limit(int64_t bytes);
// Returns cached memory to the system, except blocks that other running threads keep for
// themselves.
void empty_cache();

}  // namespace vitro
