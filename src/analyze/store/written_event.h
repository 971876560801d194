// Parts shared by all code that adds events to a trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vitro/analyze/trace.h"
#include "vitro/report/json.h"

namespace vitro::analyze {

// A pid, tid, device or stream: written as a number if it is one.
report::Json& write_id(report::Json& json, std::string_view key, std::string_view id);

// The largest arrow number in the trace: greater ones are free.
int64_t last_arrow(const Trace& trace);

// One end of an arrow: 's' or 'f', at this time of the trace in nanoseconds.
struct ArrowEnd {
  char phase;
  std::string_view name;
  int64_t number;
  const TrackInfo& row;
  int64_t at;
};
// With the separator before the next event.
void write(report::Output& out, const ArrowEnd& end);

// A time of the trace as written in events.
std::string microseconds(int64_t ns);

}  // namespace vitro::analyze
