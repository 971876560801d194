// By how much the clock of a trace of devices is off from that of the trace of their host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vitro/analyze/classes.h"
#include "vitro/analyze/merge_traces.h"
#include "vitro/analyze/trace.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

// A call or op of the host, and work of the other trace that it launched.
struct Launched {
  EventId launch = 0, work = 0;
};

// By correlation; where no work has one that a call of the host has by External id, unless those of
// the work are but its correlations, as old writers leave them.
std::vector<Launched> launched_by_correlation(const Trace& host, const Trace& devices);
std::vector<Launched> launched_by_id(const Trace& host, const Trace& devices);

struct Clock {
  int64_t offset = 0;           // what to add to times of the devices, both counted from the epoch
  std::optional<int64_t> room;  // how much more it could be; nothing: no wait bounds it
  std::string by;               // what told
};

// As MergeTracesOptions says.  Fails where nothing tells how the clocks lie.
Result<Clock> clock_of(const Trace& host, const Trace& devices, const std::vector<Launched>& pairs,
                       const MergeTracesOptions& options);

}  // namespace vitro::analyze
