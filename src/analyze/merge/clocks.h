// The offset between the clock of a device trace and that of its host trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/model/classes.h"
#include "vitro/analyze/merge.h"
#include "vitro/analyze/trace.h"
#include "vitro/base/result.h"

namespace vitro::analyze {

// A host call or op, and the work that it launched in the other trace.
struct Launched {
  EventId launch = 0, work = 0;
};

// Paired by correlation; if no correlation matches, by External id, unless the work's External ids
// are merely copies of its correlations, as old writers leave them.
std::vector<Launched> launched_by_correlation(const Trace& host, const Trace& devices);
std::vector<Launched> launched_by_id(const Trace& host, const Trace& devices);

struct Clock {
  int64_t offset = 0;           // to add to device times, both counted from the epoch
  std::optional<int64_t> room;  // how much larger it could be; nothing: not bounded by a wait
  std::string by;               // what it was derived from
};

// Follows MergeTracesOptions.  Fails if the offset cannot be determined.
Result<Clock> clock_of(const Trace& host, const Trace& devices, const std::vector<Launched>& pairs,
                       const MergeTracesOptions& options);

}  // namespace vitro::analyze
