// What a session records (events/session.h).
#pragma once

#include <cstddef>

#include "vitro/events/kinds.h"

namespace vitro::events {

struct SessionOptions {
  Details details = {};
  size_t max_bytes = 0;  // of all buffers together, 0: no limit.  What does not fit is counted in
                         // Recording::dropped
};

}  // namespace vitro::events
