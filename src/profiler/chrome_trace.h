// A profile as Chrome trace JSON, in the schema that PyTorch's profiler (Kineto) writes: what reads
// its traces reads ours.  Times are microseconds with three decimals since `baseTimeNanoseconds`.
#pragma once

#include <string>

#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

struct TraceOptions {
  std::string name;             // `traceName`: the file's path
  bool profile_memory = false;  // with allocations and frees
};

// How many events such a trace has, counters and rows not counted.
uint64_t event_count(const Profile& profile, const TraceOptions& options);

void write_chrome_trace(const Profile& profile, const TraceOptions& options, report::Output& out);

}  // namespace vitro
