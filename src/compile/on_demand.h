// Ops that eager has no kernel of: each call runs as a graph of one node, through the back end and
// its caches.  Sizes are symbols, so that other sizes of the same layout compile nothing.
#pragma once

#include "eager/on_demand.h"

namespace vitro::pipeline {

// Keeps what it compiles until the process ends.  Threads: any; two that ask for one program make
// it once.
eager::OnDemand& on_demand();

}  // namespace vitro::pipeline
