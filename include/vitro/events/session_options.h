// What a session records (events/session.h).
#pragma once

#include <cstddef>

#include "vitro/events/kinds.h"

namespace vitro::events {

struct SessionOptions {
  Details details = {};
  size_t max_bytes = 0;  // of all buffers together, 0: no limit.  Events that do not fit are
                         // counted in Recording::dropped
};

}  // namespace vitro::events
