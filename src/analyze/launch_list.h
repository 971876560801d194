// Every launch with what it set off.
#pragma once

#include <vector>

#include "vitro/analyze/links.h"

namespace vitro::analyze {

struct Launch {
  EventId call = 0;
  EventId first = 0;        // of its work
  int64_t first_begin = 0;  // of that
  int64_t work = 0;         // nanoseconds of all its work
};

// By call.
std::vector<Launch> launch_list(const Trace& trace, const Classes& classes, const Links& links);

// Whether the work takes less than the call.
bool is_brief(const Trace& trace, const Launch& launch);

}  // namespace vitro::analyze
