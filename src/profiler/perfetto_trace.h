// A profile as a Perfetto trace (protobuf), smaller than JSON and faster to open.  It has the same
// slices, instants, counters, flows and arguments as the Chrome trace, with times in nanoseconds.
#pragma once

#include "profiler/chrome_trace.h"

namespace vitro {

void write_perfetto_trace(const Profile& profile, const TraceOptions& options, report::Output& out);

}  // namespace vitro
