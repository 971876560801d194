// What threads handed out to the threads of a pool, and whether they did equally much.
#pragma once

#include <vector>

#include "vitro/analyze/threads.h"
#include "vitro/analyze/timeline.h"

namespace vitro::analyze {

// In the window.  `order`: of the work of the host.
std::vector<Threads::Pool> pools_of(const Trace& trace, const TrackOrder& order,
                                    const Window& window);

}  // namespace vitro::analyze
