// Steps of optimizers that launch a few kernels for each parameter.
#pragma once

#include <cstdint>
#include <vector>

#include "vitro/analyze/trace.h"

namespace vitro::analyze {

class TraceIndex;

// The steps ("Optimizer.step#AdamW.step") with ten kernels or more, none of which updates many
// parameters: neither fused=True nor foreach=True.  A step that takes over 100 us for each kernel
// does something else, too.
struct SeparateUpdates {
  std::vector<EventId> steps;
  uint64_t kernels = 0;
  std::vector<bool> events;  // by event: the steps and their launches; empty: none
};
SeparateUpdates separate_updates(const TraceIndex& index);

}  // namespace vitro::analyze
