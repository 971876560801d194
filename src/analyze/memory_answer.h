// How memory is shown, of a trace and of a memory timeline.
#pragma once

#include <vector>

#include "vitro/analyze/memory.h"

namespace vitro::analyze {

// `first`: the moment that times are told from.
AnswerTable memory_device_table(const std::vector<Memory::Device>& devices, int64_t first);
AnswerTable memory_over_time_table(const std::vector<Memory::Device>& devices, int64_t first);

}  // namespace vitro::analyze
