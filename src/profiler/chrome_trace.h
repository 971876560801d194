// A profile as Chrome trace JSON, in the schema of PyTorch's profiler (Kineto), for the same
// readers. Times are microseconds with three decimals since `baseTimeNanoseconds`.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vitro/profiler/profile.h"
#include "vitro/report/output.h"

namespace vitro {

struct TraceOptions {
  std::string name;                                                // `traceName`: the file's path
  bool profile_memory = false;                                     // with allocations and frees
  std::vector<std::pair<std::string, std::string>> metadata = {};  // keys and their JSON
};

// Keys of the outermost object that metadata cannot use.
inline constexpr auto own_trace_keys = std::to_array<std::string_view>(
    {"schemaVersion", "deviceProperties", "trace_id", "record_shapes", "with_stack", "with_modules",
     "with_flops", "profile_memory", "dropped_events", "host_name", "displayTimeUnit",
     "baseTimeNanoseconds", "traceEvents", "traceName"});

// The number of events of such a trace, without counters and rows.
uint64_t event_count(const Profile& profile, const TraceOptions& options);

void write_chrome_trace(const Profile& profile, const TraceOptions& options, report::Output& out);

}  // namespace vitro
