// What is common to events that are put into a trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vitro/analyze/trace.h"
#include "vitro/report/json.h"

namespace vitro::analyze {

// A pid, tid, device or stream: a number where it is written as one.
report::Json& write_id(report::Json& json, std::string_view key, std::string_view id);

// The largest number of an arrow in the trace: those behind it are free.
int64_t last_arrow(const Trace& trace);

// One end of an arrow: 's' or 'f', at this time of the trace in nanoseconds.
struct ArrowEnd {
  char phase;
  std::string_view name;
  int64_t number;
  const TrackInfo& row;
  int64_t at;
};
// With what parts it from the next event.
void write(report::Output& out, const ArrowEnd& end);

// A time of a trace, as events have it.
std::string microseconds(int64_t ns);

}  // namespace vitro::analyze
