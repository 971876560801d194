// Ops that eager has no kernel for: each call runs as a one-node graph, through the backend and its
// caches.  Sizes are symbols, so other sizes of the same layout need no compilation.
#pragma once

#include "eager/on_demand.h"

namespace vitro::pipeline {

// Keeps compiled ops until the process ends.  Threads: any; concurrent requests for one
// op compile it once.
eager::OnDemand& on_demand();

}  // namespace vitro::pipeline
