// Potential savings of memory, and the time spent allocating.
#pragma once

#include <vector>

#include "analyze/findings/findings.h"
#include "analyze/questions/memory/memory.h"

namespace vitro::analyze {

class TraceIndex;

// - allocating: the time of ops that only allocate
// - reserved: what the allocator holds beyond the most that was ever in use
// - spike: the peak above the level that is not exceeded for 95 % of the time
// - growth: memory that every step leaves allocated
// - activations: memory held for the backward pass at the peak, if the writer gives categories
std::vector<Finding> memory_findings(const TraceIndex& index, const Memory& memory);

// The spike and the activations alone: these need only levels.
void conclude_levels(const Memory::Device& device, Findings& findings);

}  // namespace vitro::analyze
