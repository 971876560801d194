// Tables of memory shared by traces and memory timelines.
#pragma once

#include <vector>

#include "analyze/questions/memory/memory.h"

namespace vitro::analyze {

// `first`: the moment from which times are shown.
AnswerTable memory_device_table(const std::vector<Memory::Device>& devices, int64_t first);
AnswerTable memory_over_time_table(const std::vector<Memory::Device>& devices, int64_t first);

}  // namespace vitro::analyze
