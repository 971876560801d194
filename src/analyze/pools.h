// What threads handed out to a pool, and whether its threads did equal shares.
#pragma once

#include <vector>

#include "vitro/analyze/threads.h"
#include "vitro/analyze/timeline.h"

namespace vitro::analyze {

// Within the window.  `order`: of host work.
std::vector<Threads::Pool> pools_of(const Trace& trace, const TrackOrder& order,
                                    const Window& window);

}  // namespace vitro::analyze
