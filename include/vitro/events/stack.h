// Where in the program something happened: return addresses, which become names and lines only when
// somebody reads them (profiler/stacks.h).
#pragma once

#include "vitro/events/record.h"

namespace vitro::events {

void append_stack();

// Says where what was recorded last (a begin, an allocation) happened, for sessions that ask for
// stacks.  Any thread.
inline void record_stack() {
  if (wants(Detail::stacks)) [[unlikely]]
    append_stack();
}

}  // namespace vitro::events
