// A profile as a Perfetto trace (protobuf): smaller than JSON and faster to open.  The same slices,
// instants, counters, flows and arguments as in the Chrome trace, times in nanoseconds.
#pragma once

#include "profiler/chrome_trace.h"

namespace vitro {

void write_perfetto_trace(const Profile& profile, const TraceOptions& options, report::Output& out);

}  // namespace vitro
