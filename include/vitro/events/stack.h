// Call stacks of events: return addresses, which profiler/stacks.h resolves to names and lines on
// demand.
#pragma once

#include "vitro/events/record.h"

namespace vitro::events {

void append_stack();

// Records the call stack of this thread's last event (a begin, an allocation) if the session
// records stacks.  Thread-safe.
inline void record_stack() {
  if (wants(Detail::stacks)) [[unlikely]]
    append_stack();
}

}  // namespace vitro::events
