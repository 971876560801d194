// The clock of every event: the processor's counter, turned into nanoseconds only when somebody
// reads.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <ctime>
#endif

namespace vitro {

// A counter that never goes backwards on a thread; about 12 ns on x86-64.
inline uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
#endif
}

// Nanoseconds of a difference of ticks.  Measures the counter's rate the first time (waits up to 2
// ms then).
int64_t ticks_to_ns(uint64_t difference);

// Wall-clock nanoseconds since the Unix epoch of a moment given in ticks.
int64_t ticks_to_unix_ns(uint64_t moment);

}  // namespace vitro
