// A moment among the rare events (events/rare.h), to ask later what came since.
#pragma once

#include <cstdint>

namespace vitro::events {

// The number that the next rare event will get.
uint64_t rare_mark();

}  // namespace vitro::events
