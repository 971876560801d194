// Tells a profiler about kernels that were loaded, through the JIT profiling interface of ITT
// (VTune): the library that INTEL_JIT_PROFILER64 names hears of each function's name, place, text
// and lines.
#pragma once

#include <cstdint>
#include <string>

namespace vitro::jit {

// Is anybody listening?  Loads the library the first time.
bool is_jit_profiler_there();

// Once for each loaded object; it lies at `base`, `file` is where its bytes can be read, `shown`
// where a profiler finds it (empty: it is in memory only).  What cannot be read is not announced.
// Any thread.
void announce_kernels(uintptr_t base, const std::string& file, const std::string& shown);

}  // namespace vitro::jit
