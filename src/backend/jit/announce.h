// Announces loaded kernels to a profiler through the JIT profiling interface of ITT (VTune): the
// library that INTEL_JIT_PROFILER64 names gets each function's name, address, source file and
// lines.
#pragma once

#include <cstdint>
#include <string>

namespace vitro::jit {

// Whether a profiler is attached.  Loads the library on the first call.
bool is_jit_profiler_there();

// Call once for each loaded object.  `base` is its load address, `file` a path to read its bytes
// from, `shown` the path reported to the profiler (empty: the object is in memory only).  An
// unreadable object is not announced.  Any thread.
void announce_kernels(uintptr_t base, const std::string& file, const std::string& shown);

}  // namespace vitro::jit
