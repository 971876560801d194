// Traces of Perfetto, as the text of Chrome's trace events.
//   if (begins_perfetto(head)) bytes = from_perfetto(std::move(bytes));
// Read are rows of processes, threads and others, slices with interned names and debug annotations,
// instants, counters, flows, clock snapshots and compressed packets, as the Perfetto SDK, Vitro and
// rocprofv3 write them; packets of other data sources (ftrace) are skipped.  Times are those of the
// clock that counts from the boot; `baseTimeNanoseconds` relates them to the epoch if a snapshot
// does.  Arrows and slices that do not end come last.
#pragma once

#include <memory>
#include <string_view>

#include "analyze/read/bytes.h"

namespace vitro::analyze {

// Whether a file that begins with these bytes is one; a few suffice.
bool begins_perfetto(std::string_view bytes);

std::unique_ptr<Bytes> from_perfetto(std::unique_ptr<Bytes> from);

}  // namespace vitro::analyze
