// What the parts of the recorder share with each other and with nobody else.
#pragma once

#include <cstdint>
#include <vector>

#include "vitro/events/rare.h"

namespace vitro::events {

// The system's number of the calling thread.
int64_t this_tid();

// From begin to end rare events are collected for a session, besides the ring.
void begin_rare_session();
std::vector<Rare> end_rare_session();

}  // namespace vitro::events
