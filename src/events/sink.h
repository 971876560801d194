// Functions that the files of the recorder share; private to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "vitro/events/rare.h"

namespace vitro::events {

// Returns the system's thread id of the calling thread.
int64_t this_tid();

// Between these two calls, rare events are also collected for the session.
void begin_rare_session();
std::vector<Rare> end_rare_session();

}  // namespace vitro::events
