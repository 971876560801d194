// A position in the sequence of rare events (events/rare.h), for rare_since().
#pragma once

#include <cstdint>

namespace vitro::events {

// Returns the number of the next rare event.
uint64_t rare_mark();

}  // namespace vitro::events
