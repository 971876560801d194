// What memory could be won, and what time allocating takes.
#pragma once

#include <vector>

#include "analyze/findings.h"
#include "vitro/analyze/memory.h"

namespace vitro::analyze {

// - allocating: the time of ops that allocate and do nothing else
// - reserved: what the allocator holds beyond the most that was ever used
// - spike: what the peak has above the level that is not exceeded for 95 % of the time
// - growth: what every step leaves behind
// - activations: what is held for the backward pass at the peak, where a writer gives categories
std::vector<Finding> memory_findings(const Trace& trace, const Memory& memory);

// Of these the spike and the activations: what levels alone show.
void conclude_levels(const Memory::Device& device, Findings& findings);

}  // namespace vitro::analyze
