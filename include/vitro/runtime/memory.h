// What CPU memory was used for.
//   MemoryStats s = memory_stats();   s.peak_bytes
// Threads: any.
#pragma once

#include <cstdint>

namespace vitro {

struct MemoryStats {
  int64_t allocations = 0;   // since the start
  int64_t cache_hits = 0;    // of these, served from freed memory
  int64_t live_bytes = 0;    // asked for and not yet freed
  int64_t peak_bytes = 0;    // the most that live_bytes was, since the start or reset_memory_peak()
  int64_t cached_bytes = 0;  // freed, kept for the next tensor
};

MemoryStats memory_stats();
// The peak starts again from what is live now.
void reset_memory_peak();
// Most freed memory that is kept; VITRO_CPU_CACHE_MB gives the first value.
void set_cache_limit(int64_t bytes);
// Gives cached memory back to the system: that of this thread, that of threads that have ended, and
// all that is shared.
void empty_cache();

}  // namespace vitro
