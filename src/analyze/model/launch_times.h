// When device work was launched, including work whose call is not in the file.
//   if (index->launched().of(kernel) < call_begin) …
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyze/model/links.h"

namespace vitro::analyze {

class TraceIndex;

class LaunchTimes {
 public:
  static constexpr int64_t before_all = INT64_MIN;

  explicit LaunchTimes(const TraceIndex& index);

  // When the launch began.  Of work without one, in a file that has launches, this is a lower
  // bound: streams work in the order of launches, so it was not launched before the work that
  // precedes it on its stream; `before_all` if no launch precedes it: it was launched before the
  // recording began.  In a file without launches: when the work itself began.
  int64_t of(EventId work) const;

 private:
  const Trace& trace_;
  const Links& links_;
  std::vector<std::pair<EventId, int64_t>> inferred_;  // by event: work without a launch
};

}  // namespace vitro::analyze
