// What threads handed out to a pool, and whether its threads did equal shares.
#pragma once

#include <vector>

#include "analyze/model/timeline.h"
#include "analyze/questions/threads/threads.h"

namespace vitro::analyze {

class TraceIndex;

// Within the measured window.
std::vector<Threads::Pool> pools_of(const TraceIndex& index);

}  // namespace vitro::analyze
